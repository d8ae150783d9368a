"""The lock that lets a player play one bet at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from services.games.errors import SpinInProgress


class PlayerLocks:
    """One bet at a time for each player, within this process, from the request to the answer.

    Between processes the settling statement of PostgreSQL takes an advisory lock instead.
    """

    def __init__(self) -> None:
        self._playing: set[int] = set()
        self._guard = threading.Lock()

    @contextmanager
    def hold(self, user_id: int) -> Iterator[None]:
        """Lock this player for the block. Does not wait: raises SpinInProgress when the lock is taken."""
        with self._guard:
            if user_id in self._playing:
                raise SpinInProgress
            self._playing.add(user_id)
        try:
            yield
        finally:
            with self._guard:
                self._playing.discard(user_id)

    def __contains__(self, user_id: int) -> bool:
        return user_id in self._playing

    def __len__(self) -> int:
        return len(self._playing)
