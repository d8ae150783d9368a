"""Audit of the money of battles: the escrow, what players have paid, and that each settled seat is a bet."""

from collections.abc import Iterator
from typing import Any

import peewee
from peewee import fn

from models.battles import Battle, BattleSeat, State
from models.bets import Bet
from models.ledger import LedgerEntry, LedgerTransaction
from models.users import User
from services.ledger.audit import differing
from services.ledger.posting import Account, LedgerKind

UNDER_WAY = (State.OPEN, State.LOCKED)
REFUNDED = (State.CANCELLED, State.VOID)

IS_TAKEN = BattleSeat.left_at_ms.is_null()
IS_REFUNDED = BattleSeat.left_at_ms.is_null(False) | Battle.state.in_(REFUNDED)


def mismatches() -> Iterator[str]:
    """A line for each mismatch: ids only, never amounts. To be used within ``reading()``."""
    players = User.select(User.platform_id)
    is_held = IS_TAKEN & Battle.state.in_(UNDER_WAY)
    for player in differing(players, User.battle_seats_cents, _costs_of_players(is_held)):
        yield f"the seats in battles of {player} differ from what is kept of them"
    for kind, condition, what in (
        (LedgerKind.BATTLE_JOIN, None, "payments for"),
        (LedgerKind.BATTLE_LEAVE, IS_REFUNDED, "refunds of"),
    ):
        sign = -1 if kind is LedgerKind.BATTLE_JOIN else 1
        posted = _posted_to_players(kind).alias("posted")
        cents = fn.COALESCE(posted.c.number, 0) * sign
        compared = players.join(posted, peewee.JOIN.LEFT_OUTER, on=(posted.c.user_id == User.id))
        for player in differing(compared, cents, _costs_of_players(condition)):
            yield f"the {what} seats of {player} differ from the seats in battles"
        if _posted_to_house(kind) * sign != _costs(condition, BattleSeat.user.is_null()):
            yield f"the {what} seats of bots differ from the seats in battles"
    if _sum_of(LedgerEntry.account == Account.HOUSE_BATTLES) != _costs(is_held):
        yield f"{Account.HOUSE_BATTLES} differs from the seats in open and locked battles"
    for seat_id in _seats_without_bet().scalars():
        yield f"seat {seat_id} of a settled battle has no bet, or another seat has one"
    for bet_id in _bets_without_seat().scalars():
        yield f"bet {bet_id} belongs to no seat of a settled battle"


def _seats(condition: Any | None, *columns: Any) -> Any:
    query = BattleSeat.select(*columns).join(Battle, on=(Battle.id == BattleSeat.battle))
    return query if condition is None else query.where(condition)


def _costs_of_players(condition: Any | None) -> Any:
    """What seats of each player cost."""
    cents = fn.SUM(Battle.cost_cents).alias("number")
    query = _seats(condition, BattleSeat.user, cents)
    return query.where(BattleSeat.user.is_null(False)).group_by(BattleSeat.user)


def _costs(condition: Any | None, *conditions: Any) -> int:
    """What seats cost together."""
    query = _seats(condition, fn.SUM(Battle.cost_cents))
    return int((query.where(*conditions) if conditions else query).scalar() or 0)


def _posted(kind: LedgerKind, *columns: Any) -> Any:
    query = LedgerEntry.select(*columns).join(LedgerTransaction)
    return query.where(LedgerTransaction.kind == kind)


def _posted_to_players(kind: LedgerKind) -> Any:
    cents = fn.SUM(LedgerEntry.amount_cents).alias("number")
    is_players = LedgerEntry.account == Account.BALANCE
    return _posted(kind, LedgerEntry.user, cents).where(is_players).group_by(LedgerEntry.user)


def _posted_to_house(kind: LedgerKind) -> int:
    query = _posted(kind, fn.SUM(LedgerEntry.amount_cents))
    return int(query.where(LedgerEntry.account == Account.HOUSE_BETS).scalar() or 0)


def _sum_of(condition: Any) -> int:
    query: Any = LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents))
    return int(query.where(LedgerEntry.user.is_null(), condition).scalar() or 0)


def _seats_without_bet() -> Any:
    """The seats that have no bet although they must, or one although they must not."""
    must_have = IS_TAKEN & (Battle.state == State.SETTLED) & BattleSeat.user.is_null(False)
    has = BattleSeat.bet.is_null(False)
    return _seats((must_have & ~has) | (has & ~must_have), BattleSeat.id).order_by(BattleSeat.id)


def _bets_without_seat() -> Any:
    """The bets of battles that are not those of their seats."""
    is_of_seat = (
        (BattleSeat.bet == Bet.id) & (BattleSeat.id == Bet.nonce * -1) & (BattleSeat.user == Bet.user)
    )
    query = Bet.select(Bet.id).join(BattleSeat, peewee.JOIN.LEFT_OUTER, on=is_of_seat)
    return query.where(Bet.nonce < 0, BattleSeat.id.is_null()).order_by(Bet.id)
