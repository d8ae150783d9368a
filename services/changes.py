"""What this process has changed, by topic: who keeps something made of it can tell whether it still holds.

For changes by another process, such as a command, see blueprints/common/kept.py.
"""

import itertools
from collections.abc import Iterable
from enum import StrEnum

from models.database import database


class Topic(StrEnum):
    """What is looked at from many sides."""

    BETS = "bets"
    CASES = "cases"
    """Cases and the items in them."""
    PLAYERS = "players"
    """Names and pictures of players."""


Seen = tuple[int, ...]

_numbers = itertools.count(1)
_last_change = dict.fromkeys(Topic, 0)


def seen(topics: Iterable[Topic]) -> Seen:
    """The last changes of now. What is read after this is at least as new, so ask first and then read."""
    return tuple(_last_change[topic] for topic in topics)


def tell_after_commit(topic: Topic) -> None:
    """Count a change when the current transaction has been committed; at once, where there is none."""
    database.after_commit(lambda: _count(topic))


def _count(topic: Topic) -> None:
    _last_change[topic] = next(_numbers)
