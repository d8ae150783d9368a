"""Prices that staff set by hand, and giving an item back to its price sources."""

from typing import Any

from models.db.connection import reading, writing
from models.items import Item
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import retiring, version
from services.cases.contents import prices_with, reprice_cases_holding
from services.items import catalogue
from services.items.importing import IMPORT
from services.items.prices.sources import refresh_feed_soon
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.imports import Reprice
from services.shared.money import Cents


def set_price(*, name: str, price: Cents, now: Millis, reason: str = "") -> None:
    """Give the item with this full name a custom price, which sources leave as it is.

    The prices of the cases that have it follow. All servers show it soon. Raises Refusal.
    """
    with writing():
        item = _begin(name)
        before = _facts(item)
        item.price_cents, item.price_source, item.custom_price = price, IMPORT, True
        _store(item, before, now=now, reason=reason)
        reprice_cases_holding([item.id])
        catalogue.publish()


def follow_sources(*, name: str, now: Millis, reason: str = "") -> None:
    """Let the price of the item with this full name follow its sources again. Raises Refusal."""
    with writing():
        item = _begin(name)
        if not item.custom_price:
            raise Refusal("the item has no custom price")
        before = _facts(item)
        item.custom_price, item.next_price_fetch_ms = False, now
        _store(item, before, now=now, reason=reason)
        refresh_feed_soon()


@reading()
def reprices(*, name: str, price: Cents) -> list[Reprice]:
    """The cases whose prices would follow this price."""
    item: Item | None = Item.get_or_none(Item.market_hash_name == name)
    return [] if item is None else prices_with({item.id: price})


def _begin(name: str) -> Any:
    """The item to change. Raises Refusal."""
    version.begin_change()
    item = retiring.find(Item, Item.market_hash_name == name, f"item {name}")
    if item.retired_at_ms is not None:
        raise Refusal(f"the item {name} is retired")
    return item


def _facts(item: Item) -> dict[str, Any]:
    return {"item": item.market_hash_name, "priceCents": item.price_cents, "custom": bool(item.custom_price)}


def _store(item: Item, before: dict[str, Any], *, now: Millis, reason: str) -> None:
    item.save(only=item.dirty_fields)
    after = _facts(item) | because(reason)
    record(AuditEventType.ITEM_PRICED, now=now, user_id=None, before=before, after=after)
