"""A semaphore whose slots are given out strictly in the order of the requests."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


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
    def hold(self, *, timeout_seconds: float) -> Iterator[None]:
        """Hold one slot for the block. Raises TimeoutError if none becomes free in time."""
        self.acquire(timeout_seconds)
        try:
            yield
        finally:
            self.release()

    def acquire(self, timeout_seconds: float) -> None:
        """Take a slot, after the earlier waiters. Raises TimeoutError if none becomes free in time."""
        with self._guard:
            if self._free:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(timeout_seconds):
            return
        with self._guard:
            # The slot may have been given to this waiter just after the timeout.
            if not turn.is_set():
                self._waiting.remove(turn)
                raise TimeoutError

    def release(self) -> None:
        """Give a slot back, to the waiter that has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
