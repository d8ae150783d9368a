"""Locks within this process: one thing at a time for each player, and values that are built once."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import peewee

from models.db import waiting
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
        """Whether something is going on for this player."""
        return user_id in self._held

    def __len__(self) -> int:
        return len(self._held)


class BuildCondition(threading.Condition):
    """Builds a value once while others wait: ``cached(cache, condition=BuildCondition())`` of cachetools.

    Of concurrent callers with the same key the first one builds the value, and the others get it from the
    cache. If it fails, or the cache does not take the value, the next of them builds it. The waits count
    against the caller's wait budget; those of a plain condition have no limit.
    """

    def __init__(self) -> None:
        # The library's default, an RLock, makes a hit a quarter slower.
        super().__init__(threading.Lock())

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002  # the library gives none
        """Raises OperationalError when the wait budget is spent."""
        with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
            if not super().wait(seconds):
                raise peewee.OperationalError("another caller did not build this in time")
        return True
