"""One thing at a time for each player, within this process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from services.shared.errors import Refusal


class PlayerLocks:
    """A lock for each player. It refuses instead of waiting.

    Between processes, the settling statement of PostgreSQL settles one bet of a player at a time.
    """

    def __init__(self, refusal: Callable[[], Refusal]) -> None:
        """``refusal`` makes the error that ``hold`` raises."""
        self._refusal = refusal
        self._held: set[int] = set()
        self._guard = threading.Lock()

    @contextmanager
    def hold(self, user_id: int) -> Iterator[None]:
        """Lock this player for the block. Does not wait: raises the refusal when the lock is taken."""
        with self._guard:
            if user_id in self._held:
                raise self._refusal()
            self._held.add(user_id)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(user_id)

    def __contains__(self, user_id: int) -> bool:
        return user_id in self._held

    def __len__(self) -> int:
        return len(self._held)
