"""The bets of a settled battle: one for each seat of a player, with all that counts bets."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from models.battles import (
    COUNT_SEAT_BETS,
    INSERT_SEAT_BETS,
    LOCK_PLAYERS,
    MARK_SEATS,
    SETTLE_SEATS,
    Battle,
)
from models.db.connection import database
from models.db.sql import execute
from services.shared.clock import CalendarPeriod, Millis
from services.shared.money import Cents
from services.shared.signals import Tag, invalidate_after_commit


class SeatBet(NamedTuple):
    """A player's seat, and what it won."""

    user_id: int
    item: str
    """The name of the dearest item that the seat drew."""
    payout: Cents


class SettledBattle(NamedTuple):
    """The seats of players in a settled battle."""

    id: int
    day: Millis
    """The beginning of the day of its end."""
    players: int
    bots: int
    wagered: Cents
    paid: Cents


def lock_players(seats: Sequence[SeatBet]) -> None:
    """Lock the rows of these players, in the order of their ids, until the transaction ends."""
    if database.for_update:
        execute(LOCK_PLAYERS, _shares(seats))


def write(
    battle: Battle, seats: Sequence[SeatBet], *, server_seed: str, transaction_id: int, now: Millis
) -> list[int]:
    """Pay these seats, and write their bets; returns the ids of the bets, in the order of their players'.

    To be used in the transaction that ends the battle, after ``lock_players``. ``transaction_id`` is that of
    the ledger. ``count`` follows.
    """
    values: dict[str, Any] = {
        "battle_id": battle.id,
        "wager_cents": battle.cost_cents,
        "counted_edge_ppm": battle.counted_edge_ppm,
        "commitment": battle.commitment,
        "server_seed": server_seed,
        "transaction_id": transaction_id,
        "created_at_ms": now,
        **{period.value: period.start(now) for period in CalendarPeriod},
        **_shares(seats),
    }
    execute(SETTLE_SEATS, values)
    written = sorted(bet_id for (bet_id,) in execute(INSERT_SEAT_BETS, values).fetchall())
    execute(MARK_SEATS, values)
    invalidate_after_commit(Tag.BETS)
    return written


def count(battle: Battle, seats: Sequence[SeatBet]) -> None:
    """Add these bets to the counts of the live bets, whose rows players share: as late as possible."""
    execute(COUNT_SEAT_BETS, {"wager_cents": battle.cost_cents, **_shares(seats)})


def _shares(seats: Sequence[SeatBet]) -> dict[str, str]:
    return {
        "payouts": json.dumps({seat.user_id: seat.payout for seat in seats}),
        "items": json.dumps({seat.user_id: seat.item for seat in seats}),
    }
