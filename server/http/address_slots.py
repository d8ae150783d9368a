"""Bounds how many requests of one address run at the same time. The next ones wait, in order."""

from collections.abc import Iterator
from contextlib import contextmanager

from fifo_semaphore import FifoSemaphore
from models.db import waiting
from server.addresses import networks
from services.shared.errors import Unavailable


class AddressSlots:
    """The slots of each address, or of each /64 of IPv6, that has requests under way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._slots: dict[object, FifoSemaphore] = {}

    @contextmanager
    def hold(self, address: str) -> Iterator[None]:
        """Hold a slot of this address for the block. Raises Unavailable when none becomes free in time."""
        key, _ = networks(address)[0]
        slots = self._slots.setdefault(key, FifoSemaphore(self._most))
        try:
            with hold_in_time(slots):
                yield
        finally:
            if slots.free == self._most:
                self._slots.pop(key, None)


@contextmanager
def hold_in_time(slots: FifoSemaphore) -> Iterator[None]:
    """Hold a slot for the block. The wait counts against the wait budget. Raises Unavailable."""
    with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
        try:
            slots.acquire(seconds)
        except TimeoutError:
            raise Unavailable from None
    try:
        yield
    finally:
        slots.release()
