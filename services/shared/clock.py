"""Time: the clock of this machine and that of the database, and calendar days, weeks and months.

Services get the time as an argument; only views, handlers and commands read the clock.
"""

import logging
import time
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import NewType

from models.db.connection import database, reading

log = logging.getLogger("platform.clock")

Millis = NewType("Millis", int)
"""Unix time, or a duration, in whole milliseconds."""

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS
WEEK_MS = 7 * DAY_MS

CLOCK_TOLERANCE_MS = MINUTE_MS
"""Requests can overtake each other, so a stored time up to this much later than now counts. One that is
further ahead was written while the clock was wrong, and is ignored."""

FIRST_MONDAY_MS = 4 * DAY_MS
"""Monday 5 January 1970, 00:00 UTC."""


NOTABLE_MS = 1_000
"""A reading that moves the time by more than this is reported in the log, such as the first one on a machine
whose clock is wrong."""


def now_ms() -> Millis:
    """The current Unix time in milliseconds."""
    return Millis(time.time_ns() // 1_000_000)


class DatabaseClock:
    """Gives Unix time in milliseconds by PostgreSQL's clock, for several processes and for a single one.

    All processes then agree when a proof is due, a lease ends or a week begins, although the clock of a
    machine is wrong. Between two readings the time goes by ``time.monotonic()``. Before the first one it is
    the time of this machine.
    """

    def __init__(self) -> None:
        self._offset_ms = now_ms() - _monotonic_ms()

    def __call__(self) -> Millis:
        return Millis(_monotonic_ms() + self._offset_ms)

    def read(self) -> None:
        """Ask the database for its time. Raises what ``reading()`` raises.

        The answer was written at an unknown moment between question and answer, so the offset is known to lie
        within a range. An offset within the range stays as it is: a slow answer does not disturb the clock.
        """
        with reading():
            asked_at = _monotonic_ms()
            (now,) = database.execute_sql(f"SELECT {database.now_ms.sql}").fetchone()
            answered_at = _monotonic_ms()
        before = self._offset_ms
        self._offset_ms = min(max(before, now - answered_at), now - asked_at)
        if abs(self._offset_ms - before) > NOTABLE_MS:
            ahead_ms = now_ms() - self()
            log.warning("this machine's clock is %.1f s ahead of the database's", ahead_ms / 1000)


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def iso_date(at: Millis) -> str:
    """The day in UTC, such as 2026-03-18."""
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


def iso_time(at: Millis) -> str:
    """The second in UTC, such as 2026-03-18T12:05:00Z."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class CalendarPeriod(StrEnum):
    """Calendar days, weeks and months in UTC."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    def start(self, at: Millis) -> Millis:
        """The beginning of this period: 00:00 UTC, for a week on Monday, for a month on the 1st."""
        if self is CalendarPeriod.DAY:
            return Millis(at - at % DAY_MS)
        if self is CalendarPeriod.WEEK:
            return Millis(at - (at - FIRST_MONDAY_MS) % WEEK_MS)
        return _start_of_month(at // DAY_MS)

    def end(self, at: Millis) -> Millis:
        """The beginning of the next period."""
        return self.start(Millis(self.start(at) + LONGEST_MS[self]))


@lru_cache(100)
def _start_of_month(day: int) -> Millis:
    """``day`` is the number of days since 1970. Each bet asks for its month."""
    first = datetime.fromtimestamp(day * DAY_MS // 1000, UTC).replace(day=1)
    return Millis(int(first.timestamp()) * 1000)


LONGEST_MS = {
    CalendarPeriod.DAY: DAY_MS,
    CalendarPeriod.WEEK: WEEK_MS,
    CalendarPeriod.MONTH: 31 * DAY_MS,
}
"""How long each period is at the most. That long after its start, the next one has begun."""
