"""Cache tags. A change gives its tag a new version; responses cached under an older version are invalid.

This process only. For changes by another one, such as a command, see blueprints/api/caching.py.
"""

import itertools
from collections.abc import Iterable
from enum import StrEnum

from models.db.connection import database


class Tag(StrEnum):
    """The data that cached responses are built from."""

    BETS = "bets"
    CASES = "cases"
    """Cases and the items in them."""
    PLAYERS = "players"
    """Names and pictures of players."""


Versions = tuple[int, ...]

_numbers = itertools.count(1)
_versions = dict.fromkeys(Tag, 0)


def versions(tags: Iterable[Tag]) -> Versions:
    """The current versions. Data read after this call is at least as new."""
    return tuple(_versions[tag] for tag in tags)


def invalidate_after_commit(tag: Tag) -> None:
    """Invalidate responses with this tag after the current transaction commits; at once without one."""
    database.after_commit(lambda: invalidate(tag))


def invalidate(tag: Tag) -> None:
    """Invalidate responses with this tag, whose data has been committed."""
    _versions[tag] = next(_numbers)
