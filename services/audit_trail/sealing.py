"""Sealing: one chain over all events, in the order in which they are found."""

from typing import Any

from models.audit_trail import AuditEvent, AuditSeal, UnsealedEvent
from models.db.connection import database, reading, writing
from services.audit_trail.canonical import Row, seal_text
from services.audit_trail.keys import AuditKeys, Purpose
from services.audit_trail.recording import AuditNotWritten

BATCH = 200
"""Events in one transaction, which takes about 20 ms."""


def seal_some(keys: AuditKeys) -> bool:
    """Seal the oldest events that have no seal. Returns whether there may be more.

    Concurrent calls, in any process, take turns. Raises AuditNotWritten.
    """
    with reading():
        # Most calls find nothing, and SQLite would make them wait for other writers.
        if not UnsealedEvent.select(UnsealedEvent.event_id).exists():
            return False
        with writing():
            database.obj.lock_tables(AuditSeal)
            return _seal_batch(keys) == BATCH


def _seal_batch(keys: AuditKeys) -> int:
    events = _next_events()
    last: Row | None = AuditSeal.select().order_by(AuditSeal.number.desc()).limit(1).dicts().first()
    seals: list[Row] = []
    for event in events:
        row = {
            "number": last["number"] + 1 if last else 1,
            "event_id": event["id"],
            "previous_event_id": last["event_id"] if last else None,
            "previous_seal": last["seal"] if last else "",
            "key_id": keys.current_id,
        }
        last = row | {"seal": keys.sign(Purpose.SEAL, seal_text(row, event))}
        seals.append(last)
    if seals:
        AuditSeal.insert_many(seals).as_rowcount().execute()
        _check_stored(seals)
        UnsealedEvent.delete().where(UnsealedEvent.event_id.in_([event["id"] for event in events])).execute()
    return len(events)


def _check_stored(seals: list[Row]) -> None:
    """Raise AuditNotWritten unless the seals are stored as they were written."""
    stored: Any = AuditSeal.select().where(AuditSeal.number >= seals[0]["number"]).order_by(AuditSeal.number)
    if list(stored.dicts()) != seals:
        raise AuditNotWritten


def _next_events() -> list[Row]:
    """The first events that wait. A row without its event stays, so that verification reports it.

    Two queries instead of a join, for which a database may read all events.
    """
    waiting: Any = UnsealedEvent.select(UnsealedEvent.event_id).order_by(UnsealedEvent.event_id).limit(BATCH)
    ids = list(waiting.scalars())
    while ids:
        events: Any = AuditEvent.select().where(AuditEvent.id.in_(ids)).order_by(AuditEvent.id).dicts()
        if found := list(events):
            return found
        ids = list(waiting.where(UnsealedEvent.event_id > ids[-1]).scalars())
    return []
