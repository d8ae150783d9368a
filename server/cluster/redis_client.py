"""Clients of Redis, none of which waits without a bound."""

from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry

SECONDS = 2.0


def connect(url: str, *, seconds: float = SECONDS) -> Redis:
    """A client of this Redis. It connects at the first use, and raises RedisError for everything that fails.

    ``seconds`` limits each attempt to connect and each answer. It does not retry.
    """
    # Not from_url(), where options in the URL's query would take precedence.
    options = parse_url(url) | {  # type: ignore[no-untyped-call]
        "socket_connect_timeout": seconds,
        "socket_timeout": seconds,
        "decode_responses": False,
        # Understood by every server. Version 3 begins each connection with a negotiation.
        "protocol": 2,
        "retry": Retry(NoBackoff(), 0, supported_errors=()),
    }
    return Redis.from_pool(ConnectionPool(**options))
