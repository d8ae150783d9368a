"""Cache tags. A change gives its tag a new version; responses cached under an older version are invalid.

Other processes get changes as signals. A change whose signal is lost, or
which a command made, shows when cached responses expire: see blueprints/api/caching.py.
"""

import itertools
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from models.db.connection import database
from services.shared.signals import Signal, Signals


class Tag(StrEnum):
    """The data that cached responses are built from."""

    BETS = "bets"
    CASES = "cases"
    """Cases and the items in them."""
    PLAYERS = "players"
    """Names and pictures of players."""


_numbers = itertools.count(1)
_versions = dict.fromkeys(Tag, 0)

connected: list[Signals] = []
"""The signals to other processes of the servers that run in this process."""


def versions(tags: Iterable[Tag]) -> tuple[int, ...]:
    """The current versions. Data read after this call is at least as new."""
    return tuple(_versions[tag] for tag in tags)


def invalidate_after_commit(tag: Tag) -> None:
    """Invalidate responses with this tag after the current transaction commits; at once without one."""
    database.after_commit(lambda: invalidate(tag))


def invalidate(tag: Tag) -> None:
    """Invalidate responses with this tag, whose data this process has changed and committed."""
    invalidate_here(tag)
    for signals in connected:
        signals.publish(Signal.CACHE, {"tags": [tag]})


def invalidate_here(tag: Tag) -> None:
    """Invalidate the responses of this process with this tag, whose data has been committed."""
    _versions[tag] = next(_numbers)


def receive(signal: Any) -> None:
    """Invalidate the responses of this process whose data another process has changed."""
    # A process of another version may have other tags.
    for tag in set(Tag).intersection(signal["tags"]):
        invalidate_here(tag)
