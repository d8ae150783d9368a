"""The players who wagered most in the current week or month."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from models.db.connection import reading
from models.totals import PeriodWager
from models.users import User
from services.shared.clock import Millis, Period
from services.shared.money import Cents

PLACES = 100
SHOWN_CHARACTERS = 3
MASK = "***"


@dataclass(frozen=True, kw_only=True)
class Leader:
    """One place. ``username`` is masked; ``avatar`` is as stored in the database."""

    username: str
    avatar: str
    wager: Cents


@reading()
def top(*, period: Period, now: Millis) -> list[Leader]:
    """The top 100 by wager since the start of the period. Of equal wagers the older account comes first."""
    query = (
        PeriodWager.select(PeriodWager.wagered_cents, User.username, User.avatar)
        .join(User)
        .where(PeriodWager.period == period, PeriodWager.starts_at_ms == period.start(now))
        .order_by(PeriodWager.wagered_cents.desc(), PeriodWager.user)
        .limit(PLACES)
    )
    rows: Iterable[Any] = query.tuples()
    return [
        Leader(username=masked(username), avatar=avatar, wager=Cents(wagered))
        for wagered, username, avatar in rows
    ]


def masked(username: str) -> str:
    """The first three characters and ``***``; only the first character if there are three or fewer."""
    shown = SHOWN_CHARACTERS if len(username) > SHOWN_CHARACTERS else 1
    return username[:shown] + MASK
