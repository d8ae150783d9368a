"""Rate limits: at most a number of requests in any window of a number of seconds."""

import math
import time
from collections.abc import Callable, Hashable

from server.addresses import WIDER, Keys

EVENTS, EVENT_SECONDS = 30, 10.0
"""Events that one player, or one address without a token, may send in this time. It is also the limit of the
requests that bet."""


class RequestCounts:
    """The counts of requests to all processes. A single process has none: its limiters count everything."""

    def processes(self) -> int:
        """How many processes there are."""
        return 1

    def hit(self, name: str, client: Hashable, *, most: int, seconds: float) -> float | None:  # noqa: ARG002
        """Count a request in the limit of this name, as ``RateLimiter.hit``. None while it is not counted."""
        return None


ALONE = RequestCounts()


class RateLimiter:
    """A sliding window for each client, which all processes share.

    This process counts the requests that it allows, and ``counts`` those of all processes. While that does
    not count, a client may make a share of the requests in each process: the limit divided by the number of
    processes, at least one. The share includes what was allowed here before, and remains in force for one
    more window afterwards, because requests made meanwhile are not in the counts. So losing them, even again
    and again, does not double a client's limit.

    Idle clients are forgotten a generation at a time, so that no request has to sweep through all of them.
    """

    def __init__(
        self,
        name: str = "",
        *,
        most: int,
        seconds: float,
        counts: RequestCounts = ALONE,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """``name`` is that of the limit in ``counts``, by default those of a single process."""
        self._name = name
        self._most = most
        self._seconds = seconds
        self._counts = counts
        self._timer = timer
        self._divided_until = -math.inf
        self._began = timer()
        self._current: dict[Hashable, list[float]] = {}
        self._previous: dict[Hashable, list[float]] = {}

    def hit(self, client: Hashable) -> float:
        """Count one request and return 0. Above the limit, count nothing and return the seconds to wait."""
        if wait := self._wait_for_share(client):
            return wait
        shared_wait = self._counts.hit(self._name, client, most=self._most, seconds=self._seconds)
        if shared_wait:
            return shared_wait
        if shared_wait is None:
            self._divided_until = self._timer() + self._seconds
        # Other requests of the client may have been counted during the call.
        if wait := self._wait_for_share(client):
            return wait
        now = self._timer()
        self._recent(client, now).append(now)
        return 0

    def _wait_for_share(self, client: Hashable) -> float:
        """The seconds until the client has less than its share in the window; 0 while all are counted."""
        now = self._timer()
        if now >= self._divided_until:
            return 0
        times = self._recent(client, now)
        share = max(self._most // self._counts.processes(), 1)
        return times[-share] + self._seconds - now if len(times) >= share else 0

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


NewRateLimiter = Callable[..., RateLimiter]
"""Makes the rate limiter of a name, with ``most`` and ``seconds``, which all processes share."""


class ClientRateLimiter:
    """A rate limit of clients with one or several keys."""

    def __init__(self, new_rate_limiter: NewRateLimiter, name: str, *, most: int, seconds: float) -> None:
        """``most`` requests in any window of ``seconds``, or a multiple as the key says."""
        self._rates = {
            times: new_rate_limiter(f"{name}{suffix}", most=most * times, seconds=seconds)
            for times, suffix in ((1, ""), (WIDER, " of a /48"))
        }

    def hit(self, client: Keys) -> float:
        """Count one request and return 0. Above a limit, return the seconds to wait.

        A request beyond the limit of a /64 does not count toward its /48, or it would lock out the other
        clients there.
        """
        for key, times in client:
            if wait := self._rates[times].hit(key):
                return wait
        return 0
