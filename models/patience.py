"""How long whoever asks may be kept waiting for the database: over all that they ask, not for each of it.

A request makes many statements. With a bound on each alone, a database that is slow rather than gone would
keep it for minutes. Only the waiting counts: what a request does besides takes nothing from it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

ANSWER_SECONDS = 8.5
"""Below the ten seconds in which everything must be answered, with some left for the answer itself."""


@dataclass
class Patience:
    """What is left of one asker's patience."""

    seconds_left: float = ANSWER_SECONDS


_current: ContextVar[Patience | None] = ContextVar("patience", default=None)


def begin() -> None:
    """Give whoever asks from here on the patience for one answer."""
    _current.set(Patience())


def end() -> None:
    """Who asks from here on has no patience of their own."""
    _current.set(None)


@contextmanager
def one_answer() -> Iterator[None]:
    """One patience for all that the block asks; within another one, that one goes on."""
    if _current.get() is not None:
        yield
        return
    begin()
    try:
        yield
    finally:
        end()


def seconds_left() -> float:
    """How much patience there is for what comes next."""
    patience = _current.get()
    return ANSWER_SECONDS if patience is None else patience.seconds_left


@contextmanager
def waiting(most_seconds: float) -> Iterator[float]:
    """How long the block may wait for one thing; what it takes is gone from the patience."""
    patience = _current.get()
    if patience is None:
        yield most_seconds
        return
    began = time.monotonic()
    try:
        yield max(min(most_seconds, patience.seconds_left), 0)
    finally:
        patience.seconds_left -= time.monotonic() - began
