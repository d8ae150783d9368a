"""Rate limits that several processes share: the windows are in Redis and follow its clock."""

import logging
import math
import time
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any

import gevent
from gevent import monkey
from redis import RedisError

from models.db.waiting import FifoSemaphore
from services.shared.rate_limiter import RateLimiter
from services.shared.redis_client import connect

log = logging.getLogger("platform.rate_limits")

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

LOG_SECONDS = 60.0

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


class RedisWindows:
    """The clients' windows in Redis. After a failure Redis is not asked until a heartbeat is heard again."""

    def __init__(
        self,
        url: str,
        *,
        heard_at: Callable[[], float],
        processes: Callable[[], int],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """``heard_at`` gives the ``timer``'s time of the last heartbeat, ``processes`` how many there are."""
        self.processes = processes
        self._heard_at = heard_at
        self._timer = timer
        self._redis = connect(url, seconds=CALL_SECONDS)
        # With gevent one timer also limits the lookup of Redis's name.
        self._call_seconds = CALL_SECONDS if monkey.is_module_patched("socket") else None
        self._slots = FifoSemaphore(CALLS_AT_ONCE)
        self._failed_at = -math.inf
        self._warnings = RateLimiter(most=1, seconds=LOG_SECONDS)

    def hit(self, key: str, *, most: int, seconds: float) -> float | None:
        """Count a request; return the seconds to wait as ``RateLimiter.hit`` does, or None without Redis."""
        try:
            with self._slots.hold(timeout_seconds=QUEUE_SECONDS):
                if self._failed_at > self._heard_at():
                    return None
                with gevent.Timeout(self._call_seconds, TimeoutError):
                    wait_us: Any = self._redis.eval(HIT, 1, key, most, round(seconds * 1e6))
        except (RedisError, OSError):
            self._failed_at = self._timer()
            if not self._warnings.hit("failure"):
                log.warning("rate limits without redis", exc_info=True)
            return None
        return float(wait_us / 1e6)


class SharedRateLimiter(RateLimiter):
    """A sliding window for each client, which all processes share.

    Without Redis a client may make a share of the requests in each process: the limit divided by the number
    of processes, at least one. The share includes the requests that Redis allowed in this process before.
    It remains in force for one more window when Redis is back, because Redis has not counted the requests
    made meanwhile. So losing Redis, even again and again, does not double a client's limit.
    """

    def __init__(
        self,
        name: str,
        *,
        most: int,
        seconds: float,
        windows: RedisWindows,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """``name`` is a part of the keys in Redis."""
        super().__init__(most=most, seconds=seconds, timer=timer)
        self._name = name
        self._windows = windows
        self._divided_until = -math.inf
        self._refused_until: dict[Hashable, float] = {}

    def hit(self, client: Hashable) -> float:
        """Count one request and return 0. Above the limit, count nothing and return the seconds to wait."""
        if wait := self._wait_after_refusal(client) or self._wait_for_share(client):
            return wait
        shared_wait = self._windows.hit(self._key(client), most=self._most, seconds=self._seconds)
        if shared_wait:
            if len(self._refused_until) >= MAX_REFUSED:
                self._refused_until.clear()
            self._refused_until[client] = self._timer() + shared_wait
            return shared_wait
        if shared_wait is None:
            self._divided_until = self._timer() + self._seconds
        # Other requests of the client may have been counted during the call.
        if wait := self._wait_for_share(client):
            return wait
        now = self._timer()
        self._recent(client, now).append(now)
        return 0

    def _key(self, client: Hashable) -> str:
        """Short and without addresses, which may be long where a client sends them in a header."""
        return f"platform:rate:{self._name}:{blake2b(repr(client).encode(), digest_size=16).hexdigest()}"

    def _wait_after_refusal(self, client: Hashable) -> float:
        """What is left of the last wait that Redis has returned. So a flood does not reach Redis."""
        return max(self._refused_until.get(client, 0.0) - self._timer(), 0)

    def _wait_for_share(self, client: Hashable) -> float:
        """The seconds until the client has less than its share in the window; 0 while Redis counts all."""
        now = self._timer()
        if now >= self._divided_until:
            return 0
        times = self._recent(client, now)
        share = max(self._most // self._windows.processes(), 1)
        return times[-share] + self._seconds - now if len(times) >= share else 0
