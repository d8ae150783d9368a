"""One commit for all who want one at the same moment: on SQLite each alone would wait for the disk.

With 20 players SQLite settled twice as many spins a second this way.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from models.database import database, writing

Result = TypeVar("Result")

MOST = 50
"""A batch holds everything else of the process up for as long as its statements take: about 0.4 ms each."""


class _Work(Generic[Result]):
    def __init__(self, do: Callable[[], Result]) -> None:
        self._do = do
        self._result: list[Result] = []
        self._error: BaseException | None = None
        self.called = threading.Event()
        """Set when it has ended, or when it is its turn to lead."""
        self.ended = False

    def attempt(self) -> None:
        """Do it, or leave nothing of it behind."""
        try:
            with database.savepoint():
                self._result = [self._do()]
        except Exception as error:  # noqa: BLE001  # for whoever asked
            self._error = error

    def end(self, failure: BaseException | None) -> None:
        """Let go who asked. ``failure``: why nothing of the batch was committed."""
        self._error = failure or self._error
        self.ended = True
        self.called.set()

    def outcome(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._result[0]


class CommitTogether:
    """Runs works in order, those that come at the same moment in one transaction.

    A work must do nothing but short statements; one that raises is undone alone.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: list[_Work[Any]] = []
        self._led = False

    def run(self, do: Callable[[], Result]) -> Result:
        """Give what ``do`` gives, once it is committed; raise what it raises, or why the commit failed."""
        work = _Work(do)
        with self._guard:
            self._waiting.append(work)
            leads, self._led = not self._led, True
        if not leads:
            work.called.wait()
        if not work.ended:
            self._lead(work)
        return work.outcome()

    def _lead(self, work: _Work[Any]) -> None:
        """Commit a batch, its own work first, and call the next leader when others have come meanwhile."""
        try:
            # Whoever is ready to ask as well does so now.
            time.sleep(0)
            with self._guard:
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            _commit(batch)
        finally:
            with self._guard:
                # One that was killed before its batch leaves nothing to be done.
                self._waiting = [other for other in self._waiting if other is not work]
                self._led = bool(self._waiting)
                if self._led:
                    self._waiting[0].called.set()


def _commit(batch: list[_Work[Any]]) -> None:
    failure: BaseException | None = RuntimeError("the commit was given up")
    try:
        with writing():
            for work in batch:
                work.attempt()
        failure = None
    except Exception as error:  # noqa: BLE001  # for whoever asked
        failure = error
    finally:
        for work in batch:
            work.end(failure)
