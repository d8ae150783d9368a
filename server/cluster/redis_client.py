"""Clients of Redis, none of which waits without a bound."""

from redis import (
    AuthenticationError,
    ConnectionPool,
    OutOfMemoryError,
    ReadOnlyError,
    Redis,
    ResponseError,
)
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry

SECONDS = 2.0

NO_ANSWER = "it does not answer"
REASONS: dict[type[Exception], str] = {
    AuthenticationError: "it refuses the user or the password of REDIS_URL",
    ReadOnlyError: "it is a replica, which takes no writes; let REDIS_URL lead to the master",
    OutOfMemoryError: "its memory is full; raise maxmemory",
    ResponseError: "it refuses a command to the user of REDIS_URL; allow PUBLISH, SUBSCRIBE, EVAL, TIME and"
    " the commands of lists and of keys, on the keys platform:* and the channel platform:signals",
}
"""What to do about errors. A subclass comes before its base."""


def reason_of(error: Exception) -> str:
    """Why Redis can't be used, without what the error says: that may have an address."""
    return next((reason for kind, reason in REASONS.items() if isinstance(error, kind)), NO_ANSWER)


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
