"""The catalogue of several processes: one of them builds it, and all show the same."""

import time
from collections.abc import Callable

from services.shared.lease import Lease
from services.shared.signals import Signal, Signals
from services.upgrader import generations
from services.upgrader.catalogue import RETRY_SECONDS, Catalogue, CatalogueCache, build
from services.upgrader.generations import Generation, GenerationUnreadable

FIRST_WAIT_SECONDS = 0.1
"""Time between two queries for the very first catalogue, which another process builds."""

FIRST_WAITS = 200
"""The most of these queries. If the process that builds dies, this one gets its lease within the time."""


class SharedCatalogue(CatalogueCache):
    """Shows the newest generation in the database.

    The first process that needs a new one builds and stores it, and signals that to the others. A process
    that misses the signal finds the new generation within two seconds (``load_newest``).
    """

    def __init__(self, *, ttl_seconds: int, timer: Callable[[], float], signals: Signals) -> None:
        super().__init__(ttl_seconds=ttl_seconds, timer=timer)
        self._lease = Lease("catalogue")
        self._signals = signals
        self._shown_id = 0
        self._unreadable_id = 0
        signals.on(Signal.CATALOGUE, self._show)

    def load_newest(self) -> None:
        """Begin to load the newest generation, unless it is shown. Raises one of UNAVAILABLE."""
        newest = generations.newest()
        if newest is not None:
            self._show(newest.id)

    def _show(self, generation_id: int) -> None:
        with self._guard:
            if generation_id != self._shown_id and self._building is None:
                self._begin()

    def _next(self) -> tuple[Catalogue, float]:
        for _ in range(FIRST_WAITS):
            newest = generations.newest()
            if not self._is_valid(newest) and self._lease.acquire():
                try:
                    # By now another process may have stored one.
                    newest = generations.newest()
                    if not self._is_valid(newest):
                        return self._build_and_store(), self._ttl_seconds
                finally:
                    self._lease.release()
            if newest is not None:
                try:
                    return self._load(newest)
                except GenerationUnreadable:
                    # So the next attempt builds one.
                    self._unreadable_id = newest.id
            time.sleep(FIRST_WAIT_SECONDS)
        raise TimeoutError("no process has built the first catalogue")

    def _is_valid(self, generation: Generation | None) -> bool:
        if generation is None or generation.id == self._unreadable_id:
            return False
        # One that lasts longer than any was stored before the clock was set back.
        return 0 < generation.ms_left <= self._ttl_seconds * 1000

    def _build_and_store(self) -> Catalogue:
        built = build()
        self._shown_id = generations.store(built, lease=self._lease, ttl_seconds=self._ttl_seconds)
        self._signals.publish(Signal.CATALOGUE, self._shown_id)
        return built

    def _load(self, generation: Generation) -> tuple[Catalogue, float]:
        # An expired one is shown until the process that has the lease has stored the next.
        seconds = generation.ms_left / 1000 if self._is_valid(generation) else RETRY_SECONDS
        if self._catalogue is None or generation.id != self._shown_id:
            loaded = generations.load(generation)
            self._shown_id = generation.id
            return loaded, seconds
        return self._catalogue, seconds
