"""Erasing what is personal in the events of a player, and telling such an erasure from an alteration.

An erased event keeps its id, time, kind and digest, so the chain of the anchors stays whole. What else it
held can no longer be compared with the digest: the salt is gone, so that nobody can guess what it was. The
event of the erasure has the number of events that it has erased, and the digest of their chain. So nothing
can be erased unseen.
"""

import json
from collections.abc import Iterator
from functools import reduce
from itertools import groupby
from operator import itemgetter
from typing import Any

from models.audit_trail import NO_EVENTS, AuditEvent, chained, stored_rows
from models.db.sql import execute
from services.audit_trail.events import AuditEventType
from services.audit_trail.queries import Row
from services.audit_trail.recording import digest_of, event_text, record, to_text
from services.shared.clock import Millis

ERASED = "erased"
"""In ``before`` and ``after`` in the place of a text."""

KEPT_TEXTS = frozenset(
    {"action", "deposit", "kind", "method", "period", "proposedBy", "provider", "type", "was", "withdrawal"}
)
"""The keys of texts that never say anything about a person. Numbers, booleans and null are kept as well."""

ERASE = """
UPDATE audit_events SET who = :who, player = :player, address = NULL, before = :before, after = :after,
    salt = '', erased_by = :erased_by
WHERE id = :id
"""


def erase(
    *, user_id: int, platform_id: str, neutral_id: str, code: str | None, reason: str, now: Millis
) -> None:
    """Erase the events that a player has caused or that concern the player, and record that.

    ``neutral_id`` takes the place of the platform id, and must be that of the player's row already. ``code``
    is the player's promo code, which the events of those who have used it name. Within ``writing()``.
    """
    is_own = (AuditEvent.player == platform_id) | (AuditEvent.who == platform_id)
    names_code = (AuditEvent.what == str(AuditEventType.PROMO_CODE_USED)) & (
        AuditEvent.after == to_text({"code": code})
    )
    query = AuditEvent.select().where(is_own | names_code, AuditEvent.erased_by.is_null())
    events = stored_rows(query.order_by(AuditEvent.id))
    erased = {"events": len(events), "digest": _chain(events), "reason": reason}
    event_id = record(AuditEventType.ERASED, now=now, user_id=user_id, after=erased)
    names = {platform_id: neutral_id}
    for event in events:
        values = {
            "id": event["id"],
            "erased_by": event_id,
            "who": names.get(event["who"], event["who"]),
            "player": names.get(event["player"], event["player"]),
            "before": _without_texts(event["before"]),
            "after": _without_texts(event["after"]),
        }
        execute(ERASE, values)


def line_of(event: Row) -> str:
    """The line of an event in an export: its canonical text, with the digest if it was erased."""
    if event["erased_by"] is None:
        return event_text(event)
    marks = {"digest": event["digest"], "erasedBy": event["erased_by"]}
    return to_text(json.loads(event_text(event)) | marks)


def digest_of_line(line: str) -> str:
    """The digest of the event in a line of an export. Raises ValueError, KeyError or TypeError."""
    event = json.loads(line)
    return str(event["digest"]) if "erasedBy" in event else digest_of(line)


def digest_of_event(event: Row) -> str:
    """What the digest of a stored event must be; of an erased one, what it is."""
    return str(event["digest"]) if event["erased_by"] is not None else digest_of(event_text(event))


def problems() -> Iterator[str]:
    """A line for each erasure that is not what its event says. Within ``repeatable_read()``."""
    is_erased = AuditEvent.erased_by.is_null(False)
    erased = stored_rows(AuditEvent.select().where(is_erased).order_by(AuditEvent.erased_by, AuditEvent.id))
    found = {key: list(events) for key, events in groupby(erased, key=itemgetter("erased_by"))}
    erasures = stored_rows(AuditEvent.select().where(AuditEvent.what == str(AuditEventType.ERASED)))
    claims = {event["id"]: _claim(event) for event in erasures}
    for event_id in sorted(claims.keys() | found.keys(), key=str):
        events = found.get(event_id, [])
        if claims.get(event_id) != (len(events), _chain(events)):
            yield f"the audit events that event {event_id} has erased are not those that it names"


def _claim(event: Row) -> tuple[Any, Any]:
    """How many events an erasure says that it has erased, and the digest of their chain."""
    try:
        after = json.loads(event["after"])
        return after["events"], after["digest"]
    except (ValueError, KeyError, TypeError):
        return None, None


def _chain(events: list[Row]) -> str:
    return reduce(chained, (event["digest"] for event in events), NO_EVENTS)


def _without_texts(text: str | None) -> str | None:
    """A JSON text without personal ones. One that was altered goes as a whole."""
    try:
        return None if text is None else to_text(_emptied(json.loads(text)))
    except (ValueError, TypeError, RecursionError):
        return to_text(ERASED)


def _emptied(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _emptied(content, name) for name, content in value.items()}
    if isinstance(value, list):
        return [_emptied(content, key) for content in value]
    return ERASED if isinstance(value, str) and key not in KEPT_TEXTS else value
