"""What became of a case: an event of the audit trail for each change, and reading them."""

from collections.abc import Iterable
from typing import Any

from models.audit_trail import AuditEvent
from models.db.connection import reading
from models.db.sql import contains_text
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record, to_text
from services.cases.contents import ItemLine, percent_from_width
from services.shared.clock import Millis
from services.shared.imports import Change, ChangeKind

MAX_ITEMS_TEXT = 2_000

OF_CASES = (AuditEventType.CASE_CHANGED, AuditEventType.CASE_RETIRED, AuditEventType.CASE_RESTORED)
OF_IRL_CASES = (AuditEventType.IRL_CASE_CHANGED, AuditEventType.IRL_CASE_RETIRED)


def record_change(what: AuditEventType, change: Change, *, now: Millis) -> None:
    """Record what an import changed of one case, unless that is nothing."""
    if change.kind is ChangeKind.UNCHANGED:
        return
    before = None if change.before is None else _values(change.key, change.before)
    record(what, now=now, user_id=None, before=before, after=_values(change.key, change.after))


def _values(case_id: str, facts: Any) -> dict[str, Any]:
    kind = {"kind": facts.kind, "level": facts.level} if hasattr(facts, "kind") else {}
    return {
        "case": case_id,
        "name": facts.name,
        **kind,
        "image": facts.image,
        "priceCents": facts.price_cents,
        "items": items_text(facts.items),
        "isOnSale": facts.is_on_sale,
    }


def items_text(items: Iterable[ItemLine]) -> str:
    """The items with their chances, in their order; of many, the first ones."""
    text = ", ".join(f"{item.name} {percent_from_width(item.chance)}%" for item in items)
    return text if len(text) <= MAX_ITEMS_TEXT else f"{text[: MAX_ITEMS_TEXT - 1]}…"


@reading()
def events_about(what: str, name: str, kinds: Iterable[AuditEventType]) -> list[AuditEvent]:
    """The events of these kinds that have this name under ``what``, the newest first."""
    # Content changes seldom, so all events of these kinds are few. An order would mislead the planner to
    # look through all events by time.
    names_it = contains_text(AuditEvent.after, to_text({what: name}).strip("{}"))
    found = AuditEvent.select().where(AuditEvent.what.in_(list(kinds)), names_it)
    return sorted(found, key=lambda event: (event.at_ms, event.id), reverse=True)
