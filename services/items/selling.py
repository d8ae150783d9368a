"""What the upgrader sells: publishing the current items, and retiring one."""

from models.db.connection import writing
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import retiring
from services.items import catalogue
from services.shared.clock import Millis


def publish(*, now: Millis, reason: str = "") -> int:
    """Make all running servers show the current items and prices soon; returns how many items they are."""
    with writing():
        catalogue.publish()
        items = catalogue.count_items()
        record(
            AuditEventType.ITEMS_PUBLISHED, now=now, user_id=None, after={"items": items} | because(reason)
        )
    return items


def retire(*, name: str, now: Millis, reason: str = "") -> tuple[Millis, list[str]]:
    """Retire the item with this full name; returns since when it is retired, and the cases that have it.

    It leaves the upgrader soon. These cases can't be opened until it is on sale again. Raises Refusal.
    """
    with writing():
        retired = retiring.retire_item(name=name, now=now, reason=reason)
        catalogue.publish()
    return retired
