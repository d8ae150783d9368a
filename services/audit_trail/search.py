"""Searching the events of the audit trail, newest first."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from models.audit_trail import IS_BY_STAFF, AuditEvent, stored_rows
from models.db.connection import reading
from services.audit_trail.canonical import Row


class EventPlace(NamedTuple):
    """The place of an event in the order of a search."""

    at_ms: int
    id: int


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to search for. Texts are compared as a whole; None is any. ``until_ms`` is exclusive."""

    who: str | None = None
    player: str | None = None
    what: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    is_by_staff: bool = False
    """Only what staff have done, or somebody who tried to sign in."""


@dataclass(frozen=True)
class FoundEvent:
    """An event as it is shown. ``before`` and ``after`` are objects, or texts that were altered."""

    place: EventPlace
    who: str
    what: str
    player: str | None
    address: str | None
    before: Any
    after: Any


@reading()
def search(wanted: Wanted, *, after: EventPlace | None = None, limit: int) -> list[FoundEvent]:
    """The newest events that are wanted, or those that follow ``after``."""
    event = AuditEvent
    query = event.select().order_by(event.at_ms.desc(), event.id.desc()).limit(limit)
    for column in ("who", "player", "what"):
        if (value := getattr(wanted, column)) is not None:
            query = query.where(getattr(event, column) == value)
    if wanted.is_by_staff:
        query = query.where(IS_BY_STAFF)
    if wanted.since_ms is not None:
        query = query.where(event.at_ms >= wanted.since_ms)
    if wanted.until_ms is not None:
        query = query.where(event.at_ms < wanted.until_ms)
    if after is not None:
        is_older = (event.at_ms < after.at_ms) | ((event.at_ms == after.at_ms) & (event.id < after.id))
        # The first condition lets an index find the place.
        query = query.where(event.at_ms <= after.at_ms, is_older)
    return [_found(row) for row in stored_rows(query)]


def _found(row: Row) -> FoundEvent:
    return FoundEvent(
        place=EventPlace(row["at_ms"], row["id"]),
        who=row["who"],
        what=row["what"],
        player=row["player"],
        address=row["address"],
        before=_value(row["before"]),
        after=_value(row["after"]),
    )


def _value(text: str | None) -> Any:
    """What a JSON text means. A text that was altered stays as it is."""
    try:
        return json.loads(text or "null")
    except ValueError:
        return text
