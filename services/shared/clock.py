"""Time: the clock, and calendar days, weeks and months.

Services get the time as an argument; only views, handlers and commands read the clock.
"""

import time
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import NewType

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


def now_ms() -> Millis:
    """The current Unix time in milliseconds."""
    return Millis(time.time_ns() // 1_000_000)


def iso_date(at: Millis) -> str:
    """The day in UTC, such as 2026-03-18."""
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


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
