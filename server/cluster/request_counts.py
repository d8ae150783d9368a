"""The request counts of several processes: windows in Redis, which follow its clock."""

import math
import time
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any

import gevent
from gevent import monkey
from redis import Redis, RedisError

from models.db.waiting import FifoSemaphore
from server.cluster.redis_client import connect
from server.logs import clients_log
from server.rate_limiter import RequestCounts

CALL_SECONDS = 0.25
"""Limit on one call, including the connection if there is none.

It takes less than a millisecond, so neither a busy Redis nor a busy process comes near this limit. When
Redis does not answer, a few requests are late by this time, which players hardly notice.
"""

CALLS_AT_ONCE = 16
"""Connections to Redis. Further calls wait before their CALL_SECONDS begin."""

QUEUE_SECONDS = 5.0
"""Limit on the wait for earlier calls. Each is bounded, so only a process that is overloaded reaches it."""

MAX_REFUSED = 10_000
"""Clients whose refusals a process remembers. When there are more, it forgets all and asks Redis again."""

# A client's window is a list of the microseconds of its last requests, `most` of them at the most. A request
# is allowed if the oldest of these is no longer in the window. A time ahead of the clock, which has been set
# back, does not count: it could refuse the client for hours.
HIT = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local most, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest = tonumber(redis.call('LINDEX', KEYS[1], -most))
if oldest and oldest <= now and oldest > now - window then
    return oldest + window - now
end
redis.call('RPUSH', KEYS[1], now)
redis.call('LTRIM', KEYS[1], -most, -1)
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return 0
"""


def count_once(redis: Redis) -> None:
    """Count in a window that nobody uses, to see whether Redis lets it. Raises RedisError."""
    redis.eval(HIT, 1, "platform:rate:check", 1, 1)


class RedisCounts(RequestCounts):
    """Counts in Redis. After a failure Redis is not asked until a heartbeat is heard again."""

    def __init__(
        self,
        url: str,
        *,
        heard_at: Callable[[], float],
        live_processes: Callable[[], int],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """``heard_at`` gives the ``timer``'s time of the last heartbeat."""
        self._heard_at = heard_at
        self._live_processes = live_processes
        self._timer = timer
        self._redis = connect(url, seconds=CALL_SECONDS)
        # With gevent one timer also limits the lookup of Redis's name.
        self._call_seconds = CALL_SECONDS if monkey.is_module_patched("socket") else None
        self._slots = FifoSemaphore(CALLS_AT_ONCE)
        self._failed_at = -math.inf
        self._refused_until: dict[Hashable, float] = {}

    def processes(self) -> int:
        return self._live_processes()

    def hit(self, name: str, client: Hashable, *, most: int, seconds: float) -> float | None:
        """Count a request in the limit of this name. None when Redis is away.

        A client that Redis has refused is refused here until its wait is over: a flood does not reach Redis.
        """
        left = self._refused_until.get((name, client), 0.0) - self._timer()
        if left > 0:
            return left
        wait = self._count(_key(name, client), most=most, seconds=seconds)
        if wait:
            if len(self._refused_until) >= MAX_REFUSED:
                self._refused_until.clear()
            self._refused_until[name, client] = self._timer() + wait
        return wait

    def _count(self, key: str, *, most: int, seconds: float) -> float | None:
        try:
            with self._slots.hold(timeout_seconds=QUEUE_SECONDS):
                if self._failed_at > self._heard_at():
                    return None
                with gevent.Timeout(self._call_seconds, TimeoutError):
                    wait_us: Any = self._redis.eval(HIT, 1, key, most, round(seconds * 1e6))
        except (RedisError, OSError):
            self._failed_at = self._timer()
            clients_log.warning("rate limits without redis", exc_info=True)
            return None
        return float(wait_us / 1e6)


def _key(name: str, client: Hashable) -> str:
    """Short and without addresses, which may be long where a client sends them in a header."""
    return f"platform:rate:{name}:{blake2b(repr(client).encode(), digest_size=16).hexdigest()}"
