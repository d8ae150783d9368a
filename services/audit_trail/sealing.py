"""Sealing: one chain over all events, in the order in which they are found."""

from typing import Any

from models.audit_trail import AuditEvent, AuditSeal, UnsealedEvent, become_sealer
from models.db.connection import reading, writing
from services.audit_trail.canonical import Row, seal_text
from services.audit_trail.keys import AuditKeys, Purpose

BATCH = 200
"""Events in one transaction, which takes about 20 ms."""


def seal_some(keys: AuditKeys) -> bool:
    """Seal the oldest events that have no seal. Returns whether there may be more.

    Of concurrent calls, in any process, one seals and the others do nothing.
    """
    with reading():
        # Most calls find nothing, and SQLite would make them wait for other writers.
        if not _waiting().exists():
            return False
        with writing():
            return become_sealer() and _seal_batch(keys) == BATCH


def _seal_batch(keys: AuditKeys) -> int:
    events = list(_waiting().order_by(AuditEvent.id).limit(BATCH).dicts())
    last: Row | None = AuditSeal.select().order_by(AuditSeal.number.desc()).limit(1).dicts().first()
    seals: list[Row] = []
    for event in events:
        last = _seal(event, last, keys)
        seals.append(last)
    if seals:
        AuditSeal.insert_many(seals).execute()
        UnsealedEvent.delete().where(UnsealedEvent.event_id.in_([event["id"] for event in events])).execute()
    return len(events)


def _seal(event: Row, previous: Row | None, keys: AuditKeys) -> Row:
    row = {
        "number": previous["number"] + 1 if previous else 1,
        "event_id": event["id"],
        "previous_event_id": previous["event_id"] if previous else None,
        "previous_seal": previous["seal"] if previous else "",
        "key_id": keys.current_id,
    }
    return row | {"seal": keys.sign(Purpose.SEAL, seal_text(row, event))}


def _waiting() -> Any:
    return AuditEvent.select().join(UnsealedEvent, on=(UnsealedEvent.event_id == AuditEvent.id))
