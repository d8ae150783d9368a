"""A fixed number of slots, given out strictly in the order of asking."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class FairSlots:
    """A semaphore without barging: a slot that becomes free goes to whoever has waited longest.

    The standard library's lets a newcomer overtake those who wait, and under load the unlucky wait
    for seconds while others are served in milliseconds.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._waiting: deque[threading.Event] = deque()
        self._guard = threading.Lock()

    @contextmanager
    def hold(self, *, timeout_seconds: float) -> Iterator[None]:
        """One slot for the block. Raises TimeoutError when none is handed over in time."""
        if not self.take_free():
            self.wait(timeout_seconds)
        try:
            yield
        finally:
            self.release()

    def take_free(self) -> bool:
        """Take a slot when one is free, and nobody waits for it."""
        with self._guard:
            if not self._free:
                return False
            self._free -= 1
            return True

    def wait(self, timeout_seconds: float) -> None:
        """Take a slot, after all who wait already. Raises TimeoutError when none is handed over in time."""
        with self._guard:
            if self._free:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(timeout_seconds):
            return
        with self._guard:
            # Handed over in the very moment of giving up: take it after all.
            if not turn.is_set():
                self._waiting.remove(turn)
                raise TimeoutError

    def release(self) -> None:
        """Give a slot back, to whoever has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
