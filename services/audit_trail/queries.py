"""Reading events page by page, however many there are. To be used within ``reading()``."""

from collections.abc import Iterator, Sequence
from typing import Any

import peewee

from models.audit_trail import AuditEvent, WaitingEvent, stored_rows
from models.db.sql import execute
from services.audit_trail.canonical import Row

ROWS_A_PAGE = 500

UNLOGGED_EVENTS = """
SELECT (SELECT COUNT(*) FROM audit_events) - (SELECT COUNT(*) FROM audit_waiting_events)
    - COALESCE((SELECT size FROM logs WHERE name = 'audit'), 0)
    + (SELECT COUNT(*) FROM log_entries WHERE log_id = 'audit')
"""


def events() -> Iterator[tuple[Row, bool]]:
    """Each event, by id, and whether it waits for the log."""
    query = AuditEvent.select(AuditEvent, WaitingEvent.event_id.alias("waiting")).join(
        WaitingEvent, peewee.JOIN.LEFT_OUTER, on=(WaitingEvent.event_id == AuditEvent.id)
    )
    for page in _pages(query, AuditEvent.id):
        for event in page:
            yield event, event.pop("waiting") is not None


def waiting() -> Iterator[tuple[int, Row | None]]:
    """Each id that waits for the log, with its event, or None if there is no such row."""
    for page in _pages(WaitingEvent.select(), WaitingEvent.event_id):
        ids = [row["event_id"] for row in page]
        found = by_ids(ids)
        yield from ((id_, found.get(id_)) for id_ in ids)


def unlogged_events() -> int:
    """How many events are neither in the log nor wait for it; below 0, how many are missing.

    One that was inserted and one that was removed make 0: ``flask audit verify`` compares them one by one.
    """
    (count,) = execute(UNLOGGED_EVENTS, {}).fetchone()
    return int(count)


def by_ids(ids: Sequence[int]) -> dict[int, Row]:
    """The events with these ids, ROWS_A_PAGE at most."""
    return {row["id"]: row for row in stored_rows(AuditEvent.select().where(AuditEvent.id.in_(ids)))}


def _pages(query: Any, key: peewee.Field) -> Iterator[list[dict[str, Any]]]:
    """All rows, in the order of this unique column."""
    page = stored_rows(query.order_by(key).limit(ROWS_A_PAGE))
    while page:
        yield page
        page = stored_rows(query.where(key > page[-1][key.name]).order_by(key).limit(ROWS_A_PAGE))
