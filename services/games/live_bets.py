"""The public feed of bets. It shows a bet when its proof is due, which is when the bet is called due."""

from enum import StrEnum
from typing import Any

from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.db.connection import reading, repeatable_read
from models.totals import LiveBetCount
from models.users import User
from services.shared.clock import Millis
from services.shared.pagination import Page, Place, rows_of_page

NEWEST = 10


class LiveBetKind(StrEnum):
    """Which bets a list contains."""

    ALL = "live-bets"
    HIGH_ROLLS = "high-rolls"


NEWEST_FIRST = (Bet.completed_at_ms.desc(), Bet.id.desc())


@reading()
def newest(*, now: Millis) -> list[Any]:
    """The last ten bets that are due, newest first, with the columns that LiveBetSchema shows."""
    return list(_shown().where(Bet.completed_at_ms <= now).order_by(*NEWEST_FIRST).limit(NEWEST))


@reading()
def next_due(*, now: Millis) -> Millis | None:
    """When the next bet is due; None if all are. Until then the lists do not change."""
    due = Bet.select(fn.MIN(Bet.completed_at_ms)).where(Bet.completed_at_ms > now).scalar()
    return None if due is None else Millis(due)


def page(*, kind: LiveBetKind, place: Place, now: Millis) -> Page[Any]:
    """One page of all bets that are due, newest first."""
    with repeatable_read(within_limit=True):
        total = _count(kind, now)
        # Ids alone are read from the index, without reading the bets that are skipped.
        ids = _of_kind(Bet.select(Bet.id), kind).where(Bet.completed_at_ms <= now).tuples()
        rows = rows_of_page(ids, order=NEWEST_FIRST, place=place, total=total)
        shown = _shown().where(Bet.id.in_([bet_id for (bet_id,) in rows])).order_by(*NEWEST_FIRST)
        return Page(list(shown), total)


def _shown() -> Any:
    """Bets as the public feed shows them."""
    columns = (Bet.id, Bet.game, Bet.wager_cents, Bet.payout_cents, Bet.completed_at_ms)
    return Bet.select(*columns, User.username, User.avatar).join(User).namedtuples()


def _count(kind: LiveBetKind, now: Millis) -> int:
    """The number of all bets, less the few that are not due."""
    counts = LiveBetCount.high_rolls if kind is LiveBetKind.HIGH_ROLLS else LiveBetCount.bets
    made = LiveBetCount.select(fn.SUM(counts)).scalar() or 0
    not_due = _of_kind(Bet.select(fn.COUNT(Bet.id)), kind).where(Bet.completed_at_ms > now).scalar()
    return int(made) - int(not_due)


def _of_kind(query: Any, kind: LiveBetKind) -> Any:
    return query.where(HIGH_ROLL) if kind is LiveBetKind.HIGH_ROLLS else query
