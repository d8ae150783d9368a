"""The bets of a settled battle: one for each seat of a player, with all that counts bets."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from models.battles import COUNT_SEAT_BET, INSERT_SEAT_BET, MARK_SEAT, SETTLE_SEAT, Battle
from models.db.sql import execute
from models.figures import LIVE_BET_SHARDS
from models.users import Balances
from services.shared.clock import CalendarPeriod, Millis
from services.shared.money import Cents
from services.shared.signals import Tag, invalidate_after_commit


class SeatBet(NamedTuple):
    """A player's seat, and what it won."""

    seat_id: int
    user_id: int
    client_seed: str
    item: str
    """The name of the dearest item that the seat drew."""
    payout: Cents


class WrittenBet(NamedTuple):
    """The id of a seat's bet, and the player's new balances."""

    id: int
    balances: Balances


def write(
    battle: Battle, seats: Sequence[SeatBet], *, server_seed: str, transaction_id: int, now: Millis
) -> dict[int, WrittenBet]:
    """Pay these seats, and write their bets; returns them by the ids of the players.

    To be used in the transaction that ends the battle, while the rows of these players are locked.
    ``transaction_id`` is that of the ledger. ``count`` follows.
    """
    common = {
        "wager_cents": battle.cost_cents,
        "counted_edge_ppm": battle.counted_edge_ppm,
        "commitment": battle.commitment,
        "server_seed": server_seed,
        "transaction_id": transaction_id,
        "created_at_ms": now,
        **{period.value: period.start(now) for period in CalendarPeriod},
    }
    written = {}
    for seat in sorted(seats, key=lambda each: each.user_id):
        values: dict[str, Any] = common | seat._asdict() | {"payout_cents": seat.payout}
        balances = Balances(*execute(SETTLE_SEAT, values).fetchone())
        (bet_id,) = execute(INSERT_SEAT_BET, values).fetchone()
        execute(MARK_SEAT, values | {"bet_id": bet_id})
        written[seat.user_id] = WrittenBet(int(bet_id), balances)
    invalidate_after_commit(Tag.BETS)
    return written


def count(battle: Battle, seats: Sequence[SeatBet]) -> None:
    """Add these bets to the counts of the live bets, whose rows players share: as late as possible."""
    for seat in sorted(seats, key=lambda each: each.user_id % LIVE_BET_SHARDS):
        values = {
            "user_id": seat.user_id,
            "shard": seat.user_id % LIVE_BET_SHARDS,
            "wager_cents": battle.cost_cents,
            "payout_cents": seat.payout,
        }
        execute(COUNT_SEAT_BET, values)
