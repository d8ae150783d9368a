"""Builds a value once while others wait: ``cached(cache, condition=BuildCondition())`` of cachetools.

Of concurrent callers with the same key the first one builds the value, and the others get it from the cache.
If it fails, or the cache does not take the value, the next of them builds it.
"""

import threading

import peewee

from models.db import waiting


class BuildCondition(threading.Condition):
    """A condition whose waits count against the caller's wait budget. The library's wait has no limit."""

    def __init__(self) -> None:
        # The library's default, an RLock, makes a hit a quarter slower.
        super().__init__(threading.Lock())

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002  # the library gives none
        """Raises OperationalError when the wait budget is spent."""
        with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
            if not super().wait(seconds):
                raise peewee.OperationalError("another caller did not build this in time")
        return True
