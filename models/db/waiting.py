"""The wait budget: how long a request may wait for the database in total.

A request runs many statements. With a limit on each statement alone, a slow database would keep the request
for minutes. So each request has a wait budget. Only waiting counts: the request's own work takes nothing from
the budget.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ANSWER_SECONDS = 8.5
"""A whole budget: less than the ten seconds in which every request must be answered."""

_budget: ContextVar[float | None] = ContextVar("wait_budget", default=None)
"""The seconds left."""


def begin_budget() -> None:
    """Give the current request a new budget."""
    _budget.set(ANSWER_SECONDS)


def end_budget() -> None:
    """Remove the budget of the current request."""
    _budget.set(None)


@contextmanager
def limit_waits() -> Iterator[None]:
    """Give the block a budget, unless it already has one."""
    if _budget.get() is not None:
        yield
        return
    begin_budget()
    try:
        yield
    finally:
        end_budget()


def seconds_left() -> float:
    """The seconds left of the current budget; a whole budget if there is none."""
    left = _budget.get()
    return ANSWER_SECONDS if left is None else left


@contextmanager
def wait(most_seconds: float) -> Iterator[float]:
    """Take the time of the block from the budget; yields how many seconds the block may wait."""
    left = _budget.get()
    if left is None:
        yield most_seconds
        return
    began = time.monotonic()
    try:
        yield max(min(most_seconds, left), 0)
    finally:
        _budget.set(left - (time.monotonic() - began))
