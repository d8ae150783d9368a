"""Reading events and seals page by page, however many there are. To be used within ``snapshot()``."""

from collections.abc import Iterator
from typing import Any

import peewee

from models.audit_trail import AuditEvent, AuditSeal, UnsealedEvent
from services.audit_trail.canonical import EVENT_COLUMNS, SEAL_COLUMNS, Row

ROWS_A_PAGE = 500

ALL_EVENT_COLUMNS = (*EVENT_COLUMNS, "mac")
ALL_SEAL_COLUMNS = (*SEAL_COLUMNS, "seal")

_event = [getattr(AuditEvent, name) for name in ALL_EVENT_COLUMNS]
_seal = [getattr(AuditSeal, name) for name in ALL_SEAL_COLUMNS]
_belongs = AuditSeal.event_id == AuditEvent.id


def sealed() -> Iterator[tuple[Row, Row | None]]:
    """Each seal, in the order of the chain, with its event, or None if there is no such row."""
    query: Any = AuditSeal.select(*_seal, *_event).join(AuditEvent, peewee.JOIN.LEFT_OUTER, on=_belongs)
    for row in _pages(query, AuditSeal.number):
        seal, event = _split(row)
        if seal:
            yield seal, event


def unsealed() -> Iterator[tuple[Row, bool]]:
    """Each event without a seal, by id, and whether it waits for one."""
    waits = UnsealedEvent.event_id == AuditEvent.id
    query: Any = (
        AuditEvent.select(*_event, UnsealedEvent.event_id)
        .join(AuditSeal, peewee.JOIN.LEFT_OUTER, on=_belongs)
        .switch(AuditEvent)
        .join(UnsealedEvent, peewee.JOIN.LEFT_OUTER, on=waits)
        .where(AuditSeal.number.is_null())
    )
    for *event, waiting_id in _pages(query, AuditEvent.id):
        yield dict(zip(ALL_EVENT_COLUMNS, event, strict=True)), waiting_id is not None


def waiting_without_event() -> Iterator[int]:
    """The ids that wait for a seal although there is no such event."""
    query: Any = (
        UnsealedEvent.select(UnsealedEvent.event_id)
        .join(AuditEvent, peewee.JOIN.LEFT_OUTER, on=(AuditEvent.id == UnsealedEvent.event_id))
        .where(AuditEvent.id.is_null())
    )
    for (event_id,) in _pages(query, UnsealedEvent.event_id):
        yield event_id


def by_ids(ids: list[int]) -> dict[int, tuple[Row | None, Row]]:
    """The events with these ids, each with its seal or None."""
    query: Any = AuditEvent.select(*_seal, *_event).join(AuditSeal, peewee.JOIN.LEFT_OUTER, on=_belongs)
    found = [_split(row) for row in query.where(AuditEvent.id.in_(ids)).tuples()]
    return {event["id"]: (seal, event) for seal, event in found if event}


def _split(row: tuple[Any, ...]) -> tuple[Row | None, Row | None]:
    seal = dict(zip(ALL_SEAL_COLUMNS, row, strict=False))
    event = dict(zip(ALL_EVENT_COLUMNS, row[len(ALL_SEAL_COLUMNS) :], strict=True))
    return None if seal["number"] is None else seal, None if event["id"] is None else event


def _pages(query: Any, key: peewee.Field) -> Iterator[tuple[Any, ...]]:
    """All rows in the order of this key, which is the first column."""
    page = list(query.order_by(key).limit(ROWS_A_PAGE).tuples())
    while page:
        yield from page
        page = list(query.where(key > page[-1][0]).order_by(key).limit(ROWS_A_PAGE).tuples())
