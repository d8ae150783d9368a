"""The version of what the lists of cases show: one number in the database, for all processes.

Within this process a change also invalidates cached responses (services/cache_invalidation.py).
"""

from typing import NamedTuple

from models.cases import CaseVersion
from models.database import database, reading, writing
from services.cache_invalidation import Tag, invalidate_after_commit

_ONLY_ROW = 1


@writing()
def begin_change() -> None:
    """Count a change, as the first statement of a transaction that makes a case or changes items.

    Before the first lock of an item's row: two that change items in different orders then wait for this row,
    and not each for the other. In one transaction it may be called again.

    On PostgreSQL the row stays locked until the commit. Whoever comes second reads the prices and cases
    that the first has left, so no case keeps a price of before a change that it has missed.
    """
    CaseVersion.insert(id=_ONLY_ROW, version=1).on_conflict(
        conflict_target=[CaseVersion.id], update={CaseVersion.version: CaseVersion.version + 1}
    ).execute()
    invalidate_after_commit(Tag.CASES)


class Version(NamedTuple):
    """How many changes have been committed, 0 before the first, and in which database."""

    database: object
    changes: int


@reading()
def current() -> Version:
    """The version of now. What is read after it is at least as new."""
    return Version(database.obj, CaseVersion.select(CaseVersion.version).scalar() or 0)
