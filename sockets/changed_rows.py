"""Tells players about rows of theirs that have changed, whoever has made the change."""

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from services.shared.clock import Millis

COMMIT_MS = 10_000
"""A change may be committed this long after its time was taken."""

MOST_AT_ONCE = 5_000

Row = TypeVar("Row")


class ChangedRows(Generic[Row]):
    """The changed rows of a kind, each told once by this process to its sockets.

    Each process looks in the database itself, so that no change is missed.
    """

    def __init__(
        self,
        clock: Callable[[], Millis],
        *,
        find: Callable[..., Sequence[Row]],
        key: Callable[[Row], Hashable],
        tell: Callable[[Sequence[Row]], None],
    ) -> None:
        """``find(since, most=…)`` returns the rows that have changed since a time, and ``tell`` sends some.

        ``key`` is the same for a row that has not changed.
        """
        self._clock = clock
        self._find, self._key, self._tell = find, key, tell
        self._since = clock()
        self._told: set[Hashable] = set()
        """The keys of what was told lately."""

    def send_new(self) -> None:
        """Tell what has changed since the last round. A task of tasks/table.py calls it every 0.8 seconds."""
        now = self._clock()
        changed = self._find(Millis(self._since - COMMIT_MS), most=MOST_AT_ONCE)
        self._tell([row for row in changed if self._key(row) not in self._told])
        # Last: after a failure the next round tells all of them again.
        self._told = {self._key(row) for row in changed}
        self._since = now
