"""Rate limits: at most a number of requests in any window of a number of seconds."""

import time
from collections.abc import Callable, Hashable
from typing import Protocol


class RateLimiter:
    """A sliding window for each client, in memory.

    Idle clients are forgotten a generation at a time, so that no request has to sweep through all of them.
    """

    def __init__(self, *, most: int, seconds: float, timer: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._timer = timer
        self._began = timer()
        self._current: dict[Hashable, list[float]] = {}
        self._previous: dict[Hashable, list[float]] = {}

    def hit(self, client: Hashable) -> float:
        """Count one request and return 0. Above the limit, count nothing and return the seconds to wait."""
        now = self._timer()
        times = self._recent(client, now)
        if len(times) >= self._most:
            return times[0] + self._seconds - now
        times.append(now)
        return 0

    def _recent(self, client: Hashable, now: float) -> list[float]:
        """The times of the client's requests in the window that ends now."""
        if now - self._began >= self._seconds:
            self._previous, self._current, self._began = self._current, {}, now
        times = self._current.get(client)
        if times is None:
            times = self._current[client] = self._previous.pop(client, [])
        while times and times[0] <= now - self._seconds:
            del times[0]
        return times


class NewRateLimiter(Protocol):
    """Makes rate limiters of this process, or those that all processes share by their names."""

    def __call__(self, name: str, /, *, most: int, seconds: float) -> RateLimiter: ...
