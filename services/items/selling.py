"""What the upgrader sells: publishing the current items, and retiring one."""

from models.cases import Case, CaseItem
from models.db.connection import writing
from models.items import Item
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import retiring, version
from services.items import catalogue
from services.shared.clock import Millis


def publish(*, now: Millis, reason: str = "") -> int:
    """Make all running servers show the current items and prices soon; returns how many items they are."""
    with writing():
        catalogue.publish()
        items = catalogue.count_items()
        after = {"items": items} | because(reason)
        record(AuditEventType.ITEMS_PUBLISHED, now=now, user_id=None, after=after)
    return items


def retire(*, name: str, now: Millis, reason: str = "") -> tuple[Millis, list[str]]:
    """Retire the item with this full name; returns since when it is retired, and the cases that have it.

    It leaves the upgrader soon. These cases can't be opened until it is on sale again. Raises Refusal.
    """
    with writing():
        version.begin_change()
        item = retiring.find(Item, Item.market_hash_name == name, f"item {name}")
        after = {"item": name} | because(reason)
        since = retiring.retire(item, AuditEventType.ITEM_RETIRED, after, now=now)
        catalogue.publish()
        holding = Case.select(Case.slug).join(CaseItem).where(CaseItem.item == item.id)
        return since, list(holding.where(Case.retired_at_ms.is_null()).order_by(Case.slug).scalars())
