"""The public feed of bets that are due: those whose proofs are due."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.db.connection import reading, snapshot
from models.proof_queries import DueBet
from models.totals import LiveBetCount
from models.users import User
from services.games.bets import multiplier_hundredths
from services.shared.clock import Millis
from services.shared.money import Cents
from services.shared.pagination import Page, Place, rows_of_page

NEWEST = 10


class Kind(StrEnum):
    """Which bets a list contains."""

    ALL = "live-bets"
    HIGH_ROLLS = "high-rolls"


@dataclass(frozen=True, kw_only=True)
class LiveBet:
    """A bet as the public feed shows it. ``date`` in ms: when it was due."""

    bet_id: int
    game: str
    avatar: str
    username: str
    wager: Cents
    multiplier_hundredths: int
    payout: Cents
    date: Millis


NEWEST_FIRST = (Bet.completed_at_ms.desc(), Bet.id.desc())


@reading()
def newest(*, now: Millis, limit: int = NEWEST) -> list[LiveBet]:
    """The last bets that are due, newest first."""
    bets = _with_players().where(Bet.completed_at_ms <= now).order_by(*NEWEST_FIRST).limit(limit)
    return [live_bet(bet, player=bet.user) for bet in bets]


@reading()
def next_due(*, now: Millis) -> Millis | None:
    """When the next bet is due; None if all are. Until then the lists do not change."""
    due = Bet.select(fn.MIN(Bet.completed_at_ms)).where(Bet.completed_at_ms > now).scalar()
    return None if due is None else Millis(due)


def page(*, kind: Kind, place: Place, now: Millis) -> Page[LiveBet]:
    """One page of all bets that are due, newest first."""
    with snapshot(within_limit=True):
        total = _count(kind, now)
        # Ids alone are read from the index, without reading the bets that are skipped.
        ids = _of_kind(Bet.select(Bet.id), kind).where(Bet.completed_at_ms <= now).tuples()
        rows = rows_of_page(ids, order=NEWEST_FIRST, place=place, total=total)
        return Page(_with_ids([bet_id for (bet_id,) in rows]), total)


def _with_ids(bet_ids: list[int]) -> list[LiveBet]:
    if not bet_ids:
        return []
    bets = _with_players().where(Bet.id.in_(bet_ids)).order_by(*NEWEST_FIRST)
    return [live_bet(bet, player=bet.user) for bet in bets]


def _with_players() -> Any:
    return Bet.select(Bet, User.username, User.avatar).join(User)


def _count(kind: Kind, now: Millis) -> int:
    """The number of all bets, less the few that are not due."""
    counts = LiveBetCount.high_rolls if kind is Kind.HIGH_ROLLS else LiveBetCount.bets
    made = LiveBetCount.select(fn.SUM(counts)).scalar() or 0
    not_due = _of_kind(Bet.select(fn.COUNT(Bet.id)), kind).where(Bet.completed_at_ms > now).scalar()
    return int(made) - int(not_due)


def _of_kind(query: Any, kind: Kind) -> Any:
    return query.where(HIGH_ROLL) if kind is Kind.HIGH_ROLLS else query


def live_bet(bet: Bet | DueBet, *, player: User | DueBet) -> LiveBet:
    """Convert a bet for the public feed. A ``DueBet`` has its player's name and picture itself."""
    return LiveBet(
        bet_id=bet.id,
        game=bet.game,
        avatar=player.avatar,
        username=player.username,
        wager=Cents(bet.wager_cents),
        multiplier_hundredths=multiplier_hundredths(bet),
        payout=Cents(bet.payout_cents),
        date=Millis(bet.completed_at_ms),
    )
