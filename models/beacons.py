"""Beacons that have arrived, and what battles wait for."""

from collections.abc import Collection
from typing import Any

import peewee
from peewee import JOIN, SQL, Check

from models.battles import Battle, State
from models.db.connection import Table, reading, writing

IS_UNDER_WAY = Battle.state.in_([State.OPEN, State.LOCKED])


class StoredBeacon(Table):
    """A verified beacon. Whoever reads it verifies it again: BEACON_CHAIN_HASH may have changed since."""

    round = peewee.BigIntegerField(primary_key=True, constraints=[Check("round > 0")])
    # In lower-case hex.
    signature = peewee.CharField(max_length=96, constraints=[Check("length(signature) = 96")])
    randomness = peewee.CharField(max_length=64, constraints=[Check("length(randomness) = 64")])
    # When the first of all processes had it, by the clock of the database.
    arrived_at_ms = peewee.BigIntegerField()
    # Whether an operator has entered it.
    is_by_hand = peewee.BooleanField()

    class Meta:
        table_name = "beacons"
        indexes = (SQL("CREATE INDEX beacons_arrived_at_ms ON beacons (arrived_at_ms)"),)


@writing()
def store(round_: int, signature: str, randomness: str, *, now: int, is_by_hand: bool) -> int:
    """Store a verified beacon unless it is there. Returns when it first arrived, in Unix milliseconds.

    A round has one genuine signature, so a row with another one is of another network, and is replaced.
    """
    row = {
        "signature": signature,
        "randomness": randomness,
        "arrived_at_ms": now,
        "is_by_hand": is_by_hand,
    }
    StoredBeacon.insert(round=round_, **row).on_conflict(
        conflict_target=[StoredBeacon.round], update=row, where=StoredBeacon.signature != signature
    ).execute()
    arrived_at: int = StoredBeacon.get_by_id(round_).arrived_at_ms
    return arrived_at


@reading()
def stored(rounds: Collection[int]) -> list[StoredBeacon]:
    """Those of these rounds that have arrived."""
    return list(StoredBeacon.select().where(StoredBeacon.round.in_(list(rounds)))) if rounds else []


@reading()
def arrived_since(at_ms: int) -> list[StoredBeacon]:
    """The beacons that have arrived since then."""
    return list(StoredBeacon.select().where(StoredBeacon.arrived_at_ms > at_ms).order_by(StoredBeacon.round))


@reading()
def are_battles_under_way() -> bool:
    """Whether a battle is open or locked."""
    return bool(Battle.select().where(IS_UNDER_WAY).exists())


@reading()
def rounds_of_locked_battles() -> set[int]:
    """The rounds that decide the battles that are locked now."""
    return set(_locked_rounds().scalars())


@reading()
def late_rounds(locked_before_ms: int, *, at_most: int) -> list[int]:
    """The rounds that battles locked before then wait for, and that have not arrived; the first ones."""
    waiting = (
        _locked_rounds()
        .join(StoredBeacon, JOIN.LEFT_OUTER, on=(StoredBeacon.round == Battle.round))
        .where(Battle.locked_at_ms < locked_before_ms, StoredBeacon.round.is_null())
    )
    return list(waiting.order_by(Battle.round).limit(at_most).scalars())


@reading()
def are_relays_silent(since_ms: int) -> bool:
    """Whether a battle has been under way since then, and no beacon has come from a relay."""
    is_old = Battle.created_at_ms < since_ms
    has_come = StoredBeacon.select().where(StoredBeacon.arrived_at_ms >= since_ms, ~StoredBeacon.is_by_hand)
    return bool(Battle.select().where(IS_UNDER_WAY, is_old).exists()) and not has_come.exists()


def _locked_rounds() -> Any:
    return Battle.select(Battle.round).where(Battle.state == State.LOCKED).distinct()


@writing()
def delete_older(before_ms: int) -> int:
    """Delete what arrived before then and no locked battle needs. Returns the number of rows."""
    is_old, is_needed = StoredBeacon.arrived_at_ms < before_ms, StoredBeacon.round.in_(_locked_rounds())
    return int(StoredBeacon.delete().where(is_old, ~is_needed).execute())
