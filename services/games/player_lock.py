"""One spin at a time for each player, within this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from services.games.errors import SpinInProgress


class SpinLocks:
    """Who is spinning right now. Nothing is kept of a player who is not.

    Between processes the guarded update of the announced seed decides instead.
    """

    def __init__(self) -> None:
        self._spinning: set[int] = set()
        self._guard = threading.Lock()

    @contextmanager
    def hold(self, user_id: int) -> Iterator[None]:
        """Spin for this player. Does not wait: raises SpinInProgress when another spin has the lock."""
        with self._guard:
            if user_id in self._spinning:
                raise SpinInProgress
            self._spinning.add(user_id)
        try:
            yield
        finally:
            with self._guard:
                self._spinning.discard(user_id)

    def __len__(self) -> int:
        return len(self._spinning)
