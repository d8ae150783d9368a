"""Reading events and seals page by page, however many there are. To be used within ``repeatable_read()``."""

from collections.abc import Iterator, Sequence
from typing import Any

import peewee

from models.audit_trail import AuditEvent, AuditSeal, UnsealedEvent, stored_rows
from services.audit_trail.canonical import Row

ROWS_A_PAGE = 500


def sealed() -> Iterator[tuple[Row, Row | None]]:
    """Each seal, in the order of the chain, with its event, or None if there is no such row."""
    for seals in _pages(AuditSeal.select(), AuditSeal.number):
        events = _find(AuditEvent.id, [seal["event_id"] for seal in seals])
        for seal in seals:
            yield seal, events.get(seal["event_id"])


def unsealed() -> Iterator[tuple[Row, bool]]:
    """Each event without a seal, by id, and whether it waits for one."""
    query = (
        AuditEvent.select(AuditEvent, UnsealedEvent.event_id.alias("waiting"))
        .join(AuditSeal, peewee.JOIN.LEFT_OUTER, on=(AuditSeal.event_id == AuditEvent.id))
        .switch(AuditEvent)
        .join(UnsealedEvent, peewee.JOIN.LEFT_OUTER, on=(UnsealedEvent.event_id == AuditEvent.id))
        .where(AuditSeal.number.is_null())
    )
    for events in _pages(query, AuditEvent.id):
        for event in events:
            yield event, event.pop("waiting") is not None


def waiting_without_event() -> Iterator[int]:
    """The ids that wait for a seal although there is no such event."""
    query = (
        UnsealedEvent.select()
        .join(AuditEvent, peewee.JOIN.LEFT_OUTER, on=(AuditEvent.id == UnsealedEvent.event_id))
        .where(AuditEvent.id.is_null())
    )
    for rows in _pages(query, UnsealedEvent.event_id):
        yield from (row["event_id"] for row in rows)


def by_ids(ids: Sequence[int]) -> dict[int, tuple[Row | None, Row]]:
    """The events with these ids, each with its seal or None."""
    seals = _find(AuditSeal.event_id, ids)
    return {id_: (seals.get(id_), event) for id_, event in _find(AuditEvent.id, ids).items()}


def _find(key: peewee.Field, values: Sequence[int]) -> dict[int, Row]:
    """The rows with these values of a unique column, by the values."""
    return {row[key.name]: row for row in stored_rows(key.model.select().where(key.in_(values)))}


def _pages(query: Any, key: peewee.Field) -> Iterator[list[dict[str, Any]]]:
    """All rows, in the order of this unique column."""
    page = stored_rows(query.order_by(key).limit(ROWS_A_PAGE))
    while page:
        yield page
        page = stored_rows(query.where(key > page[-1][key.name]).order_by(key).limit(ROWS_A_PAGE))
