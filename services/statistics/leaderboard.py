"""The players who wagered most in the current week or month."""

from enum import StrEnum
from typing import Any

from models.db.connection import reading
from models.users import User
from services.shared.clock import CalendarPeriod, Millis

PLACES = 100
SHOWN_CHARACTERS = 3
MASK = "***"


class Period(StrEnum):
    """The week or month of a leaderboard. The values are those of its parameter."""

    WEEKLY = "weekly"
    MONTHLY = "monthly"

    @property
    def calendar(self) -> CalendarPeriod:
        return CalendarPeriod.WEEK if self is Period.WEEKLY else CalendarPeriod.MONTH


@reading()
def top(*, period: Period, now: Millis) -> list[Any]:
    """The top 100 by wager since the start of the period. With equal wagers the older account comes first.

    A bet that was made after the clock was set back counts for the player's later period. Each row has the
    ``username``, the ``avatar`` as stored in the database, and the ``wager`` in cents.
    """
    calendar = period.calendar
    starts_at, wager = getattr(User, f"{calendar}_starts_at_ms"), getattr(User, f"{calendar}_wagered_cents")
    query = (
        User.select(wager.alias("wager"), User.username, User.avatar)
        .where(starts_at == calendar.start(now), wager > 0)
        .order_by(wager.desc(), User.id)
        .limit(PLACES)
    )
    return list(query.namedtuples())


def masked(username: str) -> str:
    """The first three characters and ``***``; only the first character if there are three or fewer."""
    shown = SHOWN_CHARACTERS if len(username) > SHOWN_CHARACTERS else 1
    return username[:shown] + MASK
