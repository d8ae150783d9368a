"""A semaphore that serves its waiters in order.

All layers use it: for database connections, handshakes, calls of Redis, and work in native threads.
"""

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

    def release(self) -> None:
        """Give a slot back, to the waiter that has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
