"""Cache tags. A change counts up the version of its tag; what was cached under an older version is invalid.

This process only. For changes by another one, such as a command, see blueprints/common/caching.py.
"""

import itertools
from collections.abc import Iterable
from enum import StrEnum

from models.database import database


class Tag(StrEnum):
    """What cached responses are made of."""

    BETS = "bets"
    CASES = "cases"
    """Cases and the items in them."""
    PLAYERS = "players"
    """Names and pictures of players."""


Versions = tuple[int, ...]

_numbers = itertools.count(1)
_versions = dict.fromkeys(Tag, 0)


def versions(tags: Iterable[Tag]) -> Versions:
    """The versions of now. What is read after this call is at least as new."""
    return tuple(_versions[tag] for tag in tags)


def invalidate_after_commit(tag: Tag) -> None:
    """Invalidate what has this tag when the current transaction is committed; at once if there is none."""
    database.after_commit(lambda: _invalidate(tag))


def _invalidate(tag: Tag) -> None:
    _versions[tag] = next(_numbers)
