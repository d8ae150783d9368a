"""Clients of Redis, none of which waits without a bound."""

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

SECONDS = 2.0
"""Limit on a connection attempt, and on each answer."""


def connect(url: str, *, seconds: float = SECONDS) -> Redis:
    """A client of this Redis. It connects at the first use, and raises RedisError for everything that fails.

    Options in the URL's query take precedence. Without retries: whoever calls tries again later.
    """
    return Redis.from_url(
        url,
        socket_connect_timeout=seconds,
        socket_timeout=seconds,
        # Understood by every server. Version 3 begins each connection with a negotiation.
        protocol=2,
        retry=Retry(NoBackoff(), 0, supported_errors=()),
    )
