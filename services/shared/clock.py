"""Time: the clock, and the calendar weeks and months of the leaderboard.

Services get the time as an argument; only views, handlers and commands read the clock.
"""

import time
from datetime import UTC, datetime
from enum import StrEnum
from typing import NewType

Millis = NewType("Millis", int)
"""Unix time, or a duration, in whole milliseconds."""

DAY_MS = 24 * 3600 * 1000
WEEK_MS = 7 * DAY_MS
LONGEST_MONTH_MS = 31 * DAY_MS
FIRST_MONDAY_MS = 4 * DAY_MS
"""Monday 5 January 1970, 00:00 UTC."""


def now_ms() -> Millis:
    """The current Unix time in milliseconds."""
    return Millis(time.time_ns() // 1_000_000)


class Period(StrEnum):
    """Calendar weeks and months in UTC. The values are those of the leaderboard's parameter."""

    WEEKLY = "weekly"
    MONTHLY = "monthly"

    def start(self, at: Millis) -> Millis:
        """The beginning of this week or month: Monday or the 1st, 00:00 UTC."""
        if self is Period.WEEKLY:
            return Millis(at - (at - FIRST_MONDAY_MS) % WEEK_MS)
        first = datetime.fromtimestamp(at // 1000, UTC).replace(day=1, hour=0, minute=0, second=0)
        return Millis(int(first.timestamp()) * 1000)

    def end(self, at: Millis) -> Millis:
        """The beginning of the next week or month."""
        longest = WEEK_MS if self is Period.WEEKLY else LONGEST_MONTH_MS
        # One day more than the longest period always ends in the next period.
        return self.start(Millis(self.start(at) + longest + DAY_MS))
