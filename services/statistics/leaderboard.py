"""The players who wagered most in the current week or month."""

from collections.abc import Iterable
from typing import Any

from models.db.connection import reading
from models.totals import PeriodWager
from models.users import User
from services.shared.clock import Millis, Period

PLACES = 100
SHOWN_CHARACTERS = 3
MASK = "***"


@reading()
def top(*, period: Period, now: Millis) -> list[dict[str, Any]]:
    """The top 100 by wager since the start of the period. Of equal wagers the older account comes first.

    Each has a masked ``username``, the ``avatar`` as stored in the database, and the ``wager`` in cents.
    """
    query = (
        PeriodWager.select(PeriodWager.wagered_cents, User.username, User.avatar)
        .join(User)
        .where(PeriodWager.period == period, PeriodWager.starts_at_ms == period.calendar.start(now))
        .order_by(PeriodWager.wagered_cents.desc(), PeriodWager.user)
        .limit(PLACES)
    )
    rows: Iterable[Any] = query.tuples()
    return [
        {"username": masked(username), "avatar": avatar, "wager": wagered}
        for wagered, username, avatar in rows
    ]


def masked(username: str) -> str:
    """The first three characters and ``***``; only the first character if there are three or fewer."""
    shown = SHOWN_CHARACTERS if len(username) > SHOWN_CHARACTERS else 1
    return username[:shown] + MASK
