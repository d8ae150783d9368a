"""The locks and ends of battles in the log: their indexes, and whether a lock was signed in time."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import peewee

from models.battles import Battle, State
from models.beacons import StoredBeacon
from models.db.connection import database, reading, writing
from models.db.sql import execute
from models.log import WaitingEntry

ROWS_AT_ONCE = 1_000

LOCK_BATTLES = """
SELECT id FROM battles WHERE lock_entry_id IN (SELECT CAST(key AS BIGINT) FROM {pairs}(:indexes) AS place)
ORDER BY id FOR UPDATE
"""
"""In the order of ``decide``, which may wait for the same rows."""

SET_LOCK_INDEX = """
UPDATE battles SET lock_index = CAST(place.value AS BIGINT), version = version + 1
FROM {pairs}(:indexes) AS place WHERE lock_entry_id = CAST(place.key AS BIGINT)
"""

SET_END_INDEX = """
UPDATE battles SET end_index = CAST(place.value AS BIGINT)
FROM {pairs}(:indexes) AS place WHERE end_entry_id = CAST(place.key AS BIGINT)
"""

UNDECIDED = (Battle.state == State.LOCKED) & Battle.is_lock_in_time.is_null() & ~Battle.is_restored


class Undecided(NamedTuple):
    """A locked battle of which it is not decided whether its lock was signed in time."""

    battle_id: int
    locked_at_ms: int
    round: int
    lock_index: int | None
    """None while the lock waits for the log."""
    arrived_at_ms: int | None
    """When the beacon of its round came, if it has come."""


@dataclass(frozen=True)
class EntryPlace:
    """Where the log has an entry of a battle."""

    entry_id: int | None
    """In ``log_entries``; None until there is one."""
    index: int | None
    """In the log; None before it is appended."""
    is_waiting: bool
    """Whether it waits to be appended."""


class RestoredCounts(NamedTuple):
    """How many battles end if the log goes on as a successor."""

    open: int
    """Those are cancelled."""
    locked: int
    """Those become void, because their lock is not in the log."""


def set_indexes(indexes: Mapping[int, int]) -> None:
    """Store the indexes of entries that are appended, by the ids of ``log_entries``; not all are of battles.

    To be used in the transaction that appends them.
    """
    if not indexes:
        return
    statements = [SET_LOCK_INDEX, SET_END_INDEX]
    if database.for_update:
        statements.insert(0, LOCK_BATTLES)
    for statement in statements:
        execute(statement, {"indexes": json.dumps(indexes)})


@reading()
def undecided() -> list[Undecided]:
    """The battles whose lock is to be decided about."""
    query: Any = (
        Battle.select(
            Battle.id, Battle.locked_at_ms, Battle.round, Battle.lock_index, StoredBeacon.arrived_at_ms
        )
        .join(StoredBeacon, peewee.JOIN.LEFT_OUTER, on=(StoredBeacon.round == Battle.round))
        .where(UNDECIDED)
        .order_by(Battle.id)
    )
    return [Undecided._make(row) for row in query.tuples()]


@writing()
def decide(battle_ids: Collection[int], *, is_in_time: bool) -> list[int]:
    """Store whether the locks of these battles were signed in time; returns those that were undecided."""
    query: Any = Battle.select(Battle.id).where(UNDECIDED, Battle.id.in_(list(battle_ids)))
    if database.for_update:
        query = query.for_update()
    # In this order, so that two processes do not deadlock.
    found = list(query.order_by(Battle.id).scalars())
    Battle.update(is_lock_in_time=is_in_time).where(Battle.id.in_(found)).execute()
    return found


@reading()
def is_one_unpublished(size: int) -> bool:
    """Whether a locked battle has a lock that is not among the first entries of the log, ``size`` of them.

    Locks that were late do not count.
    """
    is_later = Battle.lock_index.is_null() | (Battle.lock_index >= size)
    may_be_in_time = ~Battle.is_restored & (Battle.is_lock_in_time.is_null() | Battle.is_lock_in_time)
    return bool(Battle.select().where(Battle.state == State.LOCKED, is_later, may_be_in_time).exists())


def mark_restored() -> None:
    """Mark the battles that must end: open ones, and locked ones whose lock is not in the log.

    To be used in the transaction in which a successor of the log begins, before it appends what waits.
    """
    Battle.update(is_restored=True).where(_ends_by_restore()).execute()


def restored_counts() -> RestoredCounts:
    """How many battles ``mark_restored`` would mark. To be used within ``reading()``."""
    query: Any = Battle.select(Battle.state).where(_ends_by_restore())
    states = list(query.scalars())
    return RestoredCounts(states.count(State.OPEN), states.count(State.LOCKED))


@reading()
def index_of(entry_id: int) -> int | None:
    """The index of the entry of a lock or an end; None while it waits for the log."""
    index = peewee.Case(None, [(Battle.lock_entry == entry_id, Battle.lock_index)], Battle.end_index)
    is_its_own = (Battle.lock_entry == entry_id) | (Battle.end_entry == entry_id)
    found: int | None = Battle.select(index).where(is_its_own).scalar()
    return found


def places() -> Iterator[tuple[int, EntryPlace, EntryPlace]]:
    """The id of each battle that was locked, with the places of its lock and its end.

    To be used within ``reading()``.
    """
    lock, end, last_id = WaitingEntry.alias(), WaitingEntry.alias(), 0
    query: Any = (
        Battle.select(
            Battle.id,
            *(Battle.lock_entry, Battle.lock_index, lock.entry.is_null(False)),
            *(Battle.end_entry, Battle.end_index, end.entry.is_null(False)),
        )
        .join(lock, peewee.JOIN.LEFT_OUTER, on=(lock.entry == Battle.lock_entry))
        .join(end, peewee.JOIN.LEFT_OUTER, on=(end.entry == Battle.end_entry))
        .where(Battle.lock_entry.is_null(False))
        .order_by(Battle.id)
        .limit(ROWS_AT_ONCE)
    )
    while rows := list(query.where(Battle.id > last_id).tuples()):
        for battle_id, *columns in rows:
            last_id = battle_id
            yield battle_id, _place(*columns[:3]), _place(*columns[3:])


def _place(entry_id: int | None, index: int | None, is_waiting: object) -> EntryPlace:
    return EntryPlace(entry_id, index, bool(is_waiting))


def _ends_by_restore() -> Any:
    is_lock_lost = (Battle.state == State.LOCKED) & Battle.lock_index.is_null()
    return (Battle.state == State.OPEN) | is_lock_lost
