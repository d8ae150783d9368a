"""Group commit: on SQLite, concurrent transactions share one commit, and so one wait for the disk.

With 20 players SQLite settles twice as many spins a second this way.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from models.db.connection import database, writing

Result = TypeVar("Result")

MAX_BATCH = 50
"""Works in one batch. Each blocks the process for about 1 ms."""


class _Work(Generic[Result]):
    def __init__(self, do: Callable[[], Result]) -> None:
        self._do = do
        self._result: list[Result] = []
        self._error: BaseException | None = None
        self.called = threading.Event()
        """Set when the work has ended, or when it must lead the next batch."""
        self.ended = False

    def attempt(self) -> None:
        """Run the work in a savepoint, so that a failure undoes this work alone."""
        try:
            with database.savepoint():
                self._result = [self._do()]
        except Exception as error:  # noqa: BLE001  # raised by outcome()
            self._error = error

    def end(self, failure: BaseException | None) -> None:
        """Wake the caller. ``failure`` is why the batch was not committed."""
        self._error = failure or self._error
        self.ended = True
        self.called.set()

    def outcome(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._result[0]


class GroupCommit:
    """Runs works in the order of their arrival, concurrent ones in one transaction.

    A work must run short statements only.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: list[_Work[Any]] = []
        self._has_leader = False

    def run(self, do: Callable[[], Result]) -> Result:
        """Return the result of ``do`` after its commit. Raises what ``do`` or the commit raises."""
        work = _Work(do)
        with self._guard:
            self._waiting.append(work)
            leads, self._has_leader = not self._has_leader, True
        if not leads:
            work.called.wait()
        if not work.ended:
            self._lead(work)
        return work.outcome()

    def _lead(self, work: _Work[Any]) -> None:
        """Commit a batch that begins with this work, then wake the next leader if there is one."""
        try:
            # Let greenlets that are ready to run add their works first.
            time.sleep(0)
            with self._guard:
                batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            _commit(batch)
        finally:
            with self._guard:
                # A leader that was killed before its batch is still in the queue.
                self._waiting = [other for other in self._waiting if other is not work]
                self._has_leader = bool(self._waiting)
                if self._has_leader:
                    self._waiting[0].called.set()


def _commit(batch: list[_Work[Any]]) -> None:
    failure: BaseException | None = RuntimeError("the commit was abandoned")
    try:
        with writing():
            for work in batch:
                work.attempt()
        failure = None
    except Exception as error:  # noqa: BLE001  # raised by each outcome()
        failure = error
    finally:
        for work in batch:
            work.end(failure)
