"""The lists of the back office about items and their prices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import peewee
from peewee import fn

from models.db.connection import reading, repeatable_read
from models.items import HeldMarketPrice, Item
from services.audit_trail.events import AuditEventType
from services.cases import history
from services.cases.kinds import GAMES
from services.shared.background import in_slices
from services.shared.errors import Refusal
from services.shared.pagination import Page, Place, rows_of_page
from services.shared.text import plain_names, words_of
from services.staff.case_lists import Sale

CUSTOM = "custom"
NO_PRICE = "none"
SOURCES = ("import", "feed", "market", CUSTOM, NO_PRICE)
"""Where the prices of a list's items come from. A custom price is from an import, and kept."""


ROWS_A_SLICE = 500


class ItemNotFound(Refusal):
    status = 404
    text = "Item not found"


# Items without a price are the cheapest, on both databases.
COLUMNS: Mapping[str, Any] = {"name": Item.market_hash_name, "price": fn.COALESCE(Item.price_cents, -1)}
"""By what a list of items can be sorted."""


@dataclass(frozen=True)
class Figures:
    """How many items there are, and how many of them have no price or one that was held back."""

    items: int
    on_sale: int
    without_price: int
    custom: int
    held_back: int
    """Whose last price from the market differed too much from the one before."""


def source_of(item: Item) -> str:
    """Where its price comes from: one of SOURCES."""
    if item.price_source is None:
        return NO_PRICE
    return CUSTOM if item.custom_price else str(item.price_source)


@repeatable_read(within_limit=True)
def items(
    *,
    search: str,
    source: str | None,
    game: str | None,
    sale: Sale | None,
    order: str,
    is_descending: bool,
    place: Place,
) -> Page[Item]:
    """A page of the items in whose names all words of the search occur (services/shared/text.py).

    ``order`` is one of COLUMNS.
    """
    query: Any = Item.select()
    if source in SOURCES:
        query = query.where(_is_from(source))
    if game is not None:
        query = query.where(Item.app_id.in_([app_id for app_id, name in GAMES.items() if name == game]))
    if sale is not None:
        query = query.where(Item.retired_at_ms.is_null(sale is Sale.ON_SALE))
    direction = "DESC" if is_descending else "ASC"
    directed = [peewee.Ordering(column, direction) for column in (COLUMNS[order], Item.id)]
    if search:
        return _with_words(query.order_by(*directed), words_of(search), place)
    total = query.count()
    return Page(rows_of_page(query, order=directed, place=place, total=total), total)


def _with_words(query: Any, words: Sequence[str], place: Place) -> Page[Item]:
    # No database ignores accents by itself.
    names = query.select(Item.id, Item.market_hash_name, Item.gun_name, Item.skin_name).tuples().iterator()
    found = [
        item_id
        for item_id, *its_names in in_slices(names, ROWS_A_SLICE)
        if all(word in plain_names(*its_names) for word in words)
    ]
    page = place.slice(found)
    rows = {item.id: item for item in Item.select().where(Item.id.in_(page))}
    return Page([rows[item_id] for item_id in page], len(found))


@reading()
def prices_on_sale(names: Sequence[str]) -> dict[str, int | None]:
    """The prices in cents of the items with these full names that are on sale."""
    query: Any = Item.select(Item.market_hash_name, Item.price_cents)
    found = query.where(Item.market_hash_name.in_(list(names)), Item.retired_at_ms.is_null())
    return dict(found.tuples())


def _is_from(source: str) -> Any:
    if source == NO_PRICE:
        return Item.price_source.is_null()
    if source == CUSTOM:
        return Item.custom_price & Item.price_source.is_null(False)
    return (Item.price_source == source) & ~Item.custom_price


@reading()
def item(item_id: int) -> Item:
    """The item of this row. Raises ItemNotFound."""
    found: Item | None = Item.get_or_none(Item.id == item_id)
    if found is None:
        raise ItemNotFound
    return found


@reading()
def figures() -> Figures:
    """Counts of all items."""

    def number_of(condition: Any) -> Any:
        return fn.COALESCE(fn.SUM(peewee.Case(None, [(condition, 1)], 0)), 0)

    query: Any = Item.select(
        fn.COUNT(Item.id),
        number_of(Item.retired_at_ms.is_null()),
        number_of(Item.price_cents.is_null()),
        number_of(Item.custom_price),
    )
    items, on_sale, without_price, custom = map(int, query.tuples().get())
    return Figures(items, on_sale, without_price, custom, HeldMarketPrice.select().count())


def history_of(item: Item) -> list[Any]:
    """The audit events about an item, the newest first."""
    kinds = [AuditEventType.ITEM_PRICED, AuditEventType.ITEM_RETIRED]
    return history.events_about("item", item.market_hash_name, kinds)
