"""The version of the case lists: one number in the database, shared by all processes.

A change also invalidates cached responses (services/shared/signals.py).
"""

from collections.abc import Hashable

from models.cases import CaseVersion
from models.db.connection import database, reading, writing
from services.shared.signals import Tag, invalidate_after_commit

_ONLY_ROW = 1


@writing()
def begin_change() -> None:
    """Raise the version. Must be the first statement of a transaction that creates a case or changes items.

    On PostgreSQL the row stays locked until the commit, so such transactions run one after the other: none
    computes a case price from item prices that another is about to change, and two that lock items in
    different orders do not deadlock. It may be called more than once in a transaction.
    """
    CaseVersion.insert(id=_ONLY_ROW, version=1).on_conflict(
        conflict_target=[CaseVersion.id], update={CaseVersion.version: CaseVersion.version + 1}
    ).execute()
    invalidate_after_commit(Tag.CASES)


@reading()
def current() -> Hashable:
    """The current version, with its database. Cases that are read after it are at least as new."""
    return database.obj, CaseVersion.select(CaseVersion.version).scalar() or 0
