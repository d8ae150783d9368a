"""Bounded and fair waits: the wait budget, and a semaphore that serves its waiters in order.

The wait budget is how long a request may wait for the database in total: it runs many statements, and with a
limit on each of them alone a slow database would keep the request for minutes. Only waiting counts: the
request's own work takes nothing from the budget.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ANSWER_SECONDS = 8.5
"""A whole budget: less than the ten seconds in which every request must be answered."""

_budget: ContextVar[float | None] = ContextVar("wait_budget", default=None)
"""The seconds left."""


def begin_budget() -> None:
    """Give the current request a new budget."""
    _budget.set(ANSWER_SECONDS)


def end_budget() -> None:
    """Remove the budget of the current request."""
    _budget.set(None)


@contextmanager
def limit_waits() -> Iterator[None]:
    """Give the block a budget, unless it already has one."""
    if _budget.get() is not None:
        yield
        return
    begin_budget()
    try:
        yield
    finally:
        end_budget()


def seconds_left() -> float:
    """The seconds left of the current budget; a whole budget if there is none."""
    left = _budget.get()
    return ANSWER_SECONDS if left is None else left


@contextmanager
def wait(most_seconds: float) -> Iterator[float]:
    """Take the time of the block from the budget; yields how many seconds the block may wait."""
    left = _budget.get()
    if left is None:
        yield most_seconds
        return
    began = time.monotonic()
    try:
        yield max(min(most_seconds, left), 0)
    finally:
        _budget.set(left - (time.monotonic() - began))


class FifoSemaphore:
    """A semaphore without barging: a free slot goes to the waiter that has waited longest.

    The standard library's semaphore lets newcomers overtake waiters. Under load a few then wait for seconds
    while others wait for milliseconds.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._waiting: deque[threading.Event] = deque()
        self._guard = threading.Lock()

    @property
    def free(self) -> int:
        """How many slots nobody holds."""
        return self._free

    @property
    def waiting(self) -> int:
        """How many callers wait for a slot."""
        return len(self._waiting)

    @contextmanager
    def hold(self, *, timeout_seconds: float | None) -> Iterator[None]:
        """Hold one slot for the block. Raises TimeoutError if none becomes free in time."""
        self.acquire(timeout_seconds)
        try:
            yield
        finally:
            self.release()

    def acquire(self, timeout_seconds: float | None) -> None:
        """Take a slot, after the earlier waiters. Raises TimeoutError if none becomes free in time."""
        with self._guard:
            if self._free:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            turn.wait(timeout_seconds)
        except BaseException:
            # Such as the end of the waiting greenlet.
            if not self._leave(turn):
                self.release()
            raise
        if self._leave(turn):
            raise TimeoutError

    def _leave(self, turn: threading.Event) -> bool:
        """Stop waiting. Returns False if the slot was given to this waiter already."""
        with self._guard:
            if turn.is_set():
                return False
            self._waiting.remove(turn)
            return True

    def acquire_free(self) -> bool:
        """Take a slot if one is free. Does not wait; returns whether a slot was taken."""
        with self._guard:
            # While others wait, none is free.
            is_free = self._free > 0
            self._free -= is_free
        return is_free

    def release(self) -> None:
        """Give a slot back, to the waiter that has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
