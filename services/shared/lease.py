"""A lease is a row of the database with an epoch, which grows whenever another process takes it.

One process at a time does the job of a lease, and another takes over when that one stops or dies.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from models.db.connection import UNAVAILABLE, database, writing
from models.processes import Lease as Row
from services.shared.errors import Refusal

LEASE_SECONDS = 15.0
"""How long a lease lasts after its last renewal."""

FURTHEST_AHEAD_MS = 5 * 60_000
"""More than any lease lasts. A time that is further ahead was written before the clock was set back."""


class LeaseLost(Refusal):
    """Another process does the job now. Nothing was written."""


class Lease:
    """This process's right to do a job, which is a row of the table ``leases`` with this name.

    Every write of the job checks the epoch in its own transaction (``fenced``). So a process that was stopped
    while another took over writes nothing any more.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._epoch: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether this process had the lease when it last wrote."""
        return self._epoch is not None

    def acquire(self) -> bool:
        """Take the lease if no other process has it. Returns whether this process has it."""
        now: Any = database.now_ms
        is_free = ~Row.until_ms.between(now + 1, now + FURTHEST_AHEAD_MS)
        return self._take(is_free | (Row.epoch == self._epoch))

    def take_over(self) -> None:
        """Take the lease from whichever process has it."""
        self._take(True)

    @contextmanager
    def fenced(self, *, seconds: float = 0.0) -> Iterator[None]:
        """A write transaction of the job. No other process takes the lease before it ends.

        It also renews the lease, for ``seconds`` longer if the next write may be that far away. Raises
        LeaseLost when another process has taken the lease.
        """
        with writing():
            renewal = Row.update(until_ms=_after(LEASE_SECONDS + seconds))
            if not renewal.where(Row.name == self._name, Row.epoch == self._epoch).execute():
                self._epoch = None
                raise LeaseLost(f"another process has taken over the {self._name}")
            yield

    def release(self) -> None:
        """Give the lease to the next process that asks for it. Without the database it ends by itself."""
        epoch, self._epoch = self._epoch, None
        if epoch is not None:
            with suppress(*UNAVAILABLE), writing():
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
