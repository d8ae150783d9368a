"""The version of the case lists: one number in the database, shared by all processes.

A change also invalidates cached responses (services/shared/signals.py).
"""

from collections.abc import Hashable

from models.cases import CaseVersion
from models.db.connection import database, reading, writing
from models.db.sql import execute
from services.shared.signals import Tag, invalidate_after_commit

RAISE = """
INSERT INTO case_version (id, version) VALUES (1, 1)
ON CONFLICT (id) DO UPDATE SET version = case_version.version + 1 RETURNING version
"""


@writing()
def begin_change() -> int:
    """Raise the version, and return it.

    Must be the first statement of a transaction that creates a case or changes items.

    On PostgreSQL the row stays locked until the commit, so such transactions run one after the other: none
    computes a case price from item prices that another is about to change, and two that lock items in
    different orders do not deadlock. It may be called more than once in a transaction.
    """
    (raised,) = execute(RAISE, {}).fetchone()
    invalidate_after_commit(Tag.CASES)
    return int(raised)


@reading()
def current() -> Hashable:
    """The current version, with its database. Cases that are read after it are at least as new."""
    return database.obj, number()


def number() -> int:
    """The number of the current version. To be used within ``reading()``."""
    return CaseVersion.select(CaseVersion.version).scalar() or 0
