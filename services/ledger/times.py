"""Which transactions of the ledger were made when. Their ids are nearly in the order of their times."""

from typing import Any

from models.ledger import LedgerTransaction
from services.shared.clock import MINUTE_MS, Millis

LATEST_MS = 10 * MINUTE_MS
"""How much earlier than one with a lower id a transaction may be: clocks differ, and waits take time."""


def last_id_before(at: Millis) -> int:
    """An id below those of all transactions since a time; few of the transactions above it are earlier.

    To be used within ``reading()``.
    """
    row = LedgerTransaction
    newest: Any = row.select(row.id).order_by(row.id.desc()).limit(1)
    low, high = 0, newest.scalar() or 0
    while low < high:
        middle = (low + high) // 2
        following: Any = (
            row.select(row.id, row.created_at_ms).where(row.id > middle).order_by(row.id).limit(1)
        )
        found = following.tuples().first()
        if found is not None and found[1] < at - LATEST_MS:
            low = found[0]
        else:
            high = middle
    return int(low)
