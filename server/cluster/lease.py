"""A lease is a row of the database with an epoch, which grows whenever another process takes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from models.db.connection import database, writing
from models.leases import Lease as Row
from services.shared.lease import Lease, LeaseLost

LEASE_SECONDS = 15.0
"""How long a lease lasts after its last renewal."""

FURTHEST_AHEAD_MS = 5 * 60_000
"""More than any lease lasts. A time that is further ahead was written before the clock was set back."""


class DatabaseLease(Lease):
    """The lease of this name, which is a row of the table ``leases``.

    Every write of the job checks the epoch in its own transaction (``fenced``). So a process that was stopped
    while another took over writes nothing any more.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._epoch: int | None = None

    @property
    def is_held(self) -> bool:
        return self._epoch is not None

    def acquire(self) -> bool:
        now: Any = database.now_ms
        is_free = ~Row.until_ms.between(now + 1, now + FURTHEST_AHEAD_MS)
        return self._take(is_free | (Row.epoch == self._epoch))

    def take_over(self) -> None:
        self._take(True)

    @contextmanager
    def fenced(self, *, seconds: float = 0.0) -> Iterator[None]:
        with writing():
            renewal = Row.update(until_ms=_after(LEASE_SECONDS + seconds))
            if not renewal.where(Row.name == self._name, Row.epoch == self._epoch).execute():
                self._epoch = None
                raise LeaseLost(f"another process has taken over the {self._name}")
            yield

    def release(self) -> None:
        epoch, self._epoch = self._epoch, None
        if epoch is not None:
            with writing():
                Row.update(until_ms=0).where(Row.name == self._name, Row.epoch == epoch).execute()

    @writing()
    def _take(self, condition: Any) -> bool:
        taking = Row.update(epoch=Row.epoch + 1, until_ms=_after(LEASE_SECONDS))
        taken = list(taking.where(Row.name == self._name, condition).returning(Row.epoch).tuples().execute())
        self._epoch = taken[0][0] if taken else None
        return bool(taken)


def _after(seconds: float) -> Any:
    """The time of the database's clock after this many seconds, in SQL."""
    return database.now_ms + int(seconds * 1000)
