"""The catalogue of several processes: one of them stores it, and all show the same."""

from collections.abc import Callable
from typing import Any

from peewee import fn

from models.catalogue import SharedItem
from models.db.connection import database, reading, writing
from models.items import SHOWN_COLUMNS
from models.leases import Lease
from services.shared.signals import Signal, Signals
from services.upgrader.catalogue import SHOWN_ITEMS, STORED, Catalogue, CatalogueCache, build


class SharedCatalogue(CatalogueCache):
    """Shows the catalogue that is stored in the database: the one of the epoch in the row STORED.

    The first process that needs a new one stores it, and signals that to the others. A process that misses
    the signal finds the new one a second later (``load_newest``).
    """

    def __init__(self, *, ttl_seconds: int, timer: Callable[[], float], signals: Signals) -> None:
        super().__init__(ttl_seconds=ttl_seconds, timer=timer)
        self._signals = signals
        signals.on(Signal.CATALOGUE, self._show)

    def _next(self) -> tuple[Catalogue, float]:
        is_new = self._store_if_expired()
        with reading():
            query: Any = Lease.select(Lease.epoch, (Lease.until_ms - database.now_ms).alias("ms_left"))
            stored = query.where(STORED).namedtuples().get()
        catalogue = self._catalogue
        if catalogue is None or stored.epoch != self._shown_epoch:
            # If it is replaced at this moment, its signal has it loaded again.
            catalogue = build(SharedItem.select())
        self._shown_epoch = stored.epoch
        if is_new:
            self._signals.publish(Signal.CATALOGUE, stored.epoch)
        return catalogue, stored.ms_left / 1000

    @writing()
    def _store_if_expired(self) -> bool:
        """Copy the items, unless another process has done so. It is waited for.

        An empty catalogue is not stored, and leaves the next call something to do.
        """
        now: Any = database.now_ms
        ttl_ms = self._ttl_seconds * 1000
        # One that lasts longer than any was stored before the clock was set back.
        is_current = Lease.until_ms.between(now + 1, now + ttl_ms)
        renewal: Any = Lease.update(epoch=Lease.epoch + 1, until_ms=now + ttl_ms)
        is_empty = ~(fn.EXISTS(SharedItem.select()) | fn.EXISTS(SHOWN_ITEMS))
        if not renewal.where(STORED, ~is_current, ~is_empty).execute():
            return False
        SharedItem.delete().execute()
        columns = [getattr(SharedItem, column.name) for column in SHOWN_COLUMNS]
        SharedItem.insert_from(SHOWN_ITEMS, columns).execute()
        if not SharedItem.select().exists():
            Lease.update(until_ms=0).where(STORED).execute()
        return True
