"""Group commit: on SQLite, concurrent transactions share one commit, and so one wait for the disk.

With 20 players SQLite settles twice as many spins a second this way.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from models.db.connection import database, writing
from models.db.waiting import FifoSemaphore

Result = TypeVar("Result")

MAX_BATCH = 50
"""Works in one batch. Each blocks the process for about 1 ms."""


class _Work(Generic[Result]):
    def __init__(self, do: Callable[[], Result]) -> None:
        self._do = do
        self._result: list[Result] = []
        self._error: BaseException | None = None
        self.has_ended = False

    def attempt(self) -> None:
        """Run the work in a savepoint, so that a failure undoes this work alone."""
        try:
            with database.savepoint():
                self._result = [self._do()]
        except Exception as error:  # noqa: BLE001  # raised by outcome()
            self._error = error

    def end(self, failure: BaseException | None) -> None:
        """``failure`` is why the batch was not committed."""
        self._error = failure or self._error
        self.has_ended = True

    def outcome(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._result[0]


class GroupCommit:
    """Runs works in the order of their arrival, concurrent ones in one transaction.

    A work must run short statements only.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Work[Any]] = deque()
        self._turn = FifoSemaphore(1)

    def run(self, do: Callable[[], Result]) -> Result:
        """Return the result of ``do`` after its commit. Raises what ``do`` or the commit raises."""
        work = _Work(do)
        self._waiting.append(work)
        # One caller commits a batch. The next callers find that their works are done, or commit the next one.
        with self._turn.hold(timeout_seconds=threading.TIMEOUT_MAX):
            while not work.has_ended:
                self._commit_batch()
        return work.outcome()

    def _commit_batch(self) -> None:
        # Let greenlets that are ready to run add their works first.
        time.sleep(0)
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))]
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
