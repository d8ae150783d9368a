"""The players who wagered most in the current week or month. Suspended players are not among them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from peewee import SQL

from models.callers import Caller
from models.db.connection import reading, repeatable_read
from models.users import HIDDEN_NAME, SHOWN_AVATAR, SHOWN_NAME, User
from services.shared.clock import CalendarPeriod, Millis
from services.shared.money import Cents

PLACES = 100
LAST_RANK = 10_000
"""Ranks below it are not counted: it would take time in proportion to the rank."""

SHOWN_CHARACTERS = 3
MASK = "***"


class Period(StrEnum):
    """The week or month of a leaderboard. The values are those of its parameter."""

    WEEKLY = "weekly"
    MONTHLY = "monthly"

    @property
    def calendar(self) -> CalendarPeriod:
        return CalendarPeriod.WEEK if self is Period.WEEKLY else CalendarPeriod.MONTH


SHOWN = (SQL(SHOWN_NAME).alias("username"), SQL(SHOWN_AVATAR).alias("avatar"))
"""The columns that other players see."""


class Board:
    """The ranking of a period: the column of its sums, and a query for the players who have wagered."""

    def __init__(self, period: Period, now: Millis) -> None:
        calendar = period.calendar
        self.wager = getattr(User, f"{calendar}_wagered_cents")
        self._is_current = getattr(User, f"{calendar}_starts_at_ms") == calendar.start(now)
        self.order = (self.wager.desc(), User.id)

    def players(self, *columns: Any) -> Any:
        """A query for those with a wager, with their sums as ``wager``."""
        query = User.select(*columns, self.wager.alias("wager"))
        return query.where(self._is_current, self.wager > 0, User.suspended_at_ms.is_null())


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place in the ranking."""

    rank: int | None
    """From 1; None without a wager in the period, and below LAST_RANK."""
    username: str
    avatar: str
    wager: Cents
    next: Mapping[str, Any] | None
    """The player one rank above, as in ``top``, and the ``distance``: what it takes to pass that player.

    For somebody without a wager the last one. None for the first, and when nobody has wagered.
    """


@reading()
def top(*, period: Period, now: Millis) -> list[Any]:
    """The top 100 by wager since the start of the period. With equal wagers the older account comes first.

    A bet that was made after the clock was set back counts for the player's later period. Each row has the
    ``username``, the ``avatar`` as stored in the database, and the ``wager`` in cents.
    """
    board = Board(period, now)
    query = board.players(*SHOWN).order_by(*board.order).limit(PLACES)
    return list(query.namedtuples())


def standing(*, user: Caller, period: Period, now: Millis) -> Standing:
    """A player's own rank, also when it is not among the first 100, and what the next one takes."""
    board = Board(period, now)
    with repeatable_read(within_limit=True):
        own = board.players(User.id).where(User.id == user.id).namedtuples().first()
        wager = own.wager if own else 0
        above = _first_above(board, user.id, wager)
        rank = _rank(board, user.id, wager) if own else None
    return Standing(rank, user.username, user.avatar, Cents(wager), above)


def _first_above(board: Board, user_id: int, wager: int) -> Mapping[str, Any] | None:
    """The player one rank above."""
    equal, more = _above(board, user_id, wager, User.id, *SHOWN)
    row: dict[str, Any] | None = equal.order_by(User.id.desc()).dicts().first()
    row = row or more.order_by(board.wager, User.id.desc()).dicts().first()
    # With the same wager, an older account would stay above.
    return row and row | {"distance": row["wager"] - wager + (row["id"] < user_id)}


def _rank(board: Board, user_id: int, wager: int) -> int | None:
    """One more than the number of players above; None below LAST_RANK."""
    rank = 1 + sum(query.limit(LAST_RANK).count() for query in _above(board, user_id, wager, User.id))
    return rank if rank <= LAST_RANK else None


def _above(board: Board, user_id: int, wager: int, *columns: Any) -> tuple[Any, Any]:
    """Two queries, each a range of the index: older accounts with the same wager, and higher wagers."""
    players = board.players(*columns)
    return players.where(board.wager == wager, User.id < user_id), players.where(board.wager > wager)


def masked(username: str) -> str:
    """The first three characters and ``***``; only the first character if there are three or fewer.

    That of an anonymous player is whole.
    """
    if username == HIDDEN_NAME:
        return username
    shown = SHOWN_CHARACTERS if len(username) > SHOWN_CHARACTERS else 1
    return username[:shown] + MASK
