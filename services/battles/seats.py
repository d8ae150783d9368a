"""Seats: what they cost, who takes them, and refunds. Everything here is part of the caller's transaction."""

from typing import Any

from models import battles as sql
from models.battles import Battle, BattleSeat, State
from models.db.connection import database
from models.db.sql import execute
from models.log import Log, contains, lock_log
from services.accounts import users
from services.battles.refusals import AlreadySeated, BattleNotFound, InvalidBattle, SeatTaken
from services.battles.rules import Rules
from services.bets.terms import BetRequest
from services.bets.writer import refusal_of_player
from services.ledger import posting
from services.ledger.posting import Account, Entry, LedgerKind
from services.log.notes import Checkpoint
from services.log.restore import BetsPaused
from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import InsufficientBalance, Unavailable
from settings import Settings


def lock_battle(condition: Any) -> Battle:
    """The battle, whose row is locked until the transaction ends. Raises BattleNotFound."""
    query: Any = Battle.select().where(condition)
    if database.for_update:
        query = query.for_update()
    battle: Battle | None = query.get_or_none()
    if battle is None:
        raise BattleNotFound
    return battle


def lock_battle_unless_held(battle_id: int) -> Battle | None:
    """The battle, as ``lock_battle``; None if it is gone, or another transaction is changing it."""
    query: Any = Battle.select().where(Battle.id == battle_id)
    if database.for_update:
        query = query.for_update("FOR UPDATE SKIP LOCKED")
    battle: Battle | None = query.get_or_none()
    return battle


def lock_log_in_use(checkpoint: Checkpoint) -> Log:
    """The row of the log, if bets go on. Raises BetsPaused, and Unavailable without this checkpoint."""
    log = lock_log()
    if log.is_paused:
        raise BetsPaused
    if not Log.select(contains(checkpoint.size, checkpoint.root_hex)).scalar():
        # The database was replaced a moment ago.
        raise Unavailable
    return log


def taken_seats(battle: Battle) -> list[BattleSeat]:
    """The taken seats, in the order in which the rows of their players are locked: bots first."""
    is_taken = (BattleSeat.battle == battle.id) & BattleSeat.left_at_ms.is_null()
    return sorted(BattleSeat.select().where(is_taken), key=lambda seat: (seat.user_id or 0, seat.seat))


def check_free(battle: Battle, seat: int, *, user_id: int | None) -> list[BattleSeat]:
    """The taken seats of a battle in which this one is free. ``user_id`` is the player, or None for a bot.

    Raises InvalidBattle if there is no such seat, SeatTaken and AlreadySeated.
    """
    if seat >= len(Rules(mode=battle.mode, teams=battle.teams).team_of_seats):
        raise InvalidBattle
    taken = taken_seats(battle)
    if seat in {each.seat for each in taken}:
        raise SeatTaken
    if user_id is not None and user_id in {each.user_id for each in taken}:
        raise AlreadySeated
    return taken


def seat_player(battle: Battle, seat: int, request: BetRequest, settings: Settings, *, now: Millis) -> None:
    """Take a seat and its cost, if the player may bet. Raises the refusals of a bet."""
    cost = battle.cost_cents
    values = _values(now) | {
        "user_id": request.user_id,
        "token_number": request.token_number,
        "wager_cents": cost,
        "min_cycle_ms": settings.game_min_cycle_ms,
        "longest_play_ms": settings.longest_play_ms,
    }
    if not execute(sql.TAKE_SEAT, values).rowcount:
        raise refusal_of_player(values) or InsufficientBalance()
    _pay(battle, Entry(Account.BALANCE, request.user_id, -cost), now=now)
    BattleSeat.create(
        battle=battle.id,
        seat=seat,
        user=request.user_id,
        client_seed=str(request.client_seed or users.get_by_id(request.user_id).client_seed),
        joined_at_ms=now,
        request_id=request.request_id,
        request_digest=request.digest(sql.BATTLE) if request.request_id is not None else None,
    )


def seat_bot(battle: Battle, seat: int, *, now: Millis) -> None:
    """Give a bot a seat, whose cost the house pays."""
    _pay(battle, Entry(Account.HOUSE_BETS, None, -battle.cost_cents), now=now)
    BattleSeat.create(battle=battle.id, seat=seat, user=None, client_seed=f"bot-{seat}", joined_at_ms=now)


def to_take_back(
    *, battle_id: int | None = None, user_id: int | None = None, now: Millis
) -> list[tuple[int, int]]:
    """The seats in open battles whose players may not bet any more: ids of the battle and the player."""
    of_nothing = {"wager_cents": 0, "min_cycle_ms": 0, "longest_play_ms": 0}
    values = _values(now) | of_nothing | {"battle_id": battle_id, "user_id": user_id}
    return list(execute(sql.SEATS_TO_TAKE_BACK, values).fetchall())


def refund(battle: Battle, seat: BattleSeat, *, now: Millis) -> None:
    """Return the cost of a seat to the player, or to the house for a bot."""
    cost, user_id = battle.cost_cents, seat.user_id
    if user_id is None:
        target = Entry(Account.HOUSE_BETS, None, cost)
    else:
        execute(sql.REFUND_SEAT, {"user_id": user_id, "wager_cents": cost})
        target = Entry(Account.BALANCE, user_id, cost)
    escrow = Entry(Account.HOUSE_BATTLES, None, -cost)
    posting.write(kind=LedgerKind.BATTLE_LEAVE, entries=[escrow, target], now=now)


def refund_all(battle: Battle, *, now: Millis) -> None:
    """Return the costs of all seats."""
    for seat in taken_seats(battle):
        refund(battle, seat, now=now)


def change(battle: Battle, **values: Any) -> None:
    """Change a battle whose row is locked, and raise its version."""
    Battle.update(version=Battle.version + 1, **values).where(Battle.id == battle.id).execute()


def cancel(battle: Battle, *, now: Millis, **values: Any) -> None:
    """Cancel an open battle whose row is locked, and refund all of its seats."""
    refund_all(battle, now=now)
    change(battle, state=State.CANCELLED, ended_at_ms=now, **values)


def _values(now: Millis) -> dict[str, Any]:
    """The parameters of a bet that is made now, without those of its player."""
    return {
        "created_at_ms": now,
        "case_read_at_ms": None,
        "day": CalendarPeriod.DAY.start(now),
        "week": CalendarPeriod.WEEK.start(now),
        "month": CalendarPeriod.MONTH.start(now),
    }


def _pay(battle: Battle, source: Entry, *, now: Millis) -> None:
    escrow = Entry(Account.HOUSE_BATTLES, None, battle.cost_cents)
    posting.write(kind=LedgerKind.BATTLE_JOIN, entries=[source, escrow], now=now)
