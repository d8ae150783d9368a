"""Batches: what concurrent callers ask for is done together, such as bets that share a commit."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from models.db import waiting
from models.db.waiting import FifoSemaphore

Asked = TypeVar("Asked")
Outcome = TypeVar("Outcome")

MAX_BATCH = 50
"""The most that is done in one batch. On SQLite a bet blocks the process for about 1 ms."""


class _Entry(Generic[Asked, Outcome]):
    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.outcome: Outcome | BaseException | None = None
        self.has_ended = False


class Batches(Generic[Asked, Outcome]):
    """Does things in the order in which they were asked for, those that wait at the same time together."""

    def __init__(self, do: Callable[[Sequence[Asked]], Sequence[Outcome | BaseException]]) -> None:
        """``do`` returns the outcome of each, or an error, which its caller raises."""
        self._do = do
        self._waiting: deque[_Entry[Asked, Outcome]] = deque()
        self._turn = FifoSemaphore(1)

    def run(self, asked: Asked) -> Outcome:
        """Return the outcome. Raises its error, or what ``do`` raises for the whole batch.

        This does not end before the batch has, because its outcome would be unknown.
        """
        entry: _Entry[Asked, Outcome] = _Entry(asked)
        self._waiting.append(entry)
        # One caller does a batch. The next callers find that theirs is done, or do the next one, with what
        # is left of their wait budgets: while the database is away, all fail in the time of one.
        with waiting.wait(waiting.ANSWER_SECONDS):
            self._turn.acquire(None)
        try:
            while not entry.has_ended:
                self._do_batch()
        finally:
            self._turn.release()
        if isinstance(entry.outcome, BaseException):
            raise entry.outcome
        return entry.outcome  # type: ignore[return-value]  # it has ended

    def _do_batch(self) -> None:
        # Let greenlets that are ready to run add what they ask for.
        time.sleep(0)
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))]
        outcomes: Sequence[Outcome | BaseException] = [RuntimeError("the batch was abandoned")] * len(batch)
        try:
            outcomes = self._do([entry.asked for entry in batch])
        except Exception as error:  # noqa: BLE001  # raised to each caller
            outcomes = [error] * len(batch)
        finally:
            for entry, outcome in zip(batch, outcomes, strict=True):
                entry.outcome, entry.has_ended = outcome, True
