"""The upgrader's catalogue: every item with a price above zero, held in memory for an hour.

What it shows is what counts: a spin takes its price from here, so a player never pays another price
than the one on the screen.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from cachetools import TTLCache, cachedmethod

from models.database import reading
from models.items import Item
from services.clock import Millis
from services.money import Cents


@dataclass(frozen=True, slots=True)
class CatalogueItem:
    """An item as the catalogue shows it. ``image`` is an address, a path below /media, or empty."""

    app_id: int
    market_hash_name: str
    gun_name: str
    skin_name: str
    image: str
    price_cents: Cents
    next_price_fetch_ms: Millis
    # Both names in folded case, for the search; no search text can hold the NUL between them.
    folded_names: str


class Sort(StrEnum):
    """The order of a page, by price."""

    ASCENDING = "Ascending"
    DESCENDING = "Descending"


class Catalogue:
    """One state of the catalogue; never changes once built."""

    def __init__(self, items: tuple[CatalogueItem, ...]) -> None:
        self.items = items
        """By price, the most expensive first; equal prices by name."""

    @cached_property
    def by_name(self) -> Mapping[str, CatalogueItem]:
        return {item.market_hash_name: item for item in self.items}

    def search(self, text: str) -> list[CatalogueItem]:
        """Items whose gun name or skin name has this text in it, in any case; all for an empty text."""
        if not text:
            return list(self.items)
        folded = text.casefold()
        return [item for item in self.items if folded in item.folded_names]

    def page(
        self, *, number: int, limit: int, sort: Sort = Sort.DESCENDING, search: str = ""
    ) -> tuple[list[CatalogueItem], int]:
        """One page of what the search finds, and how many it finds in all."""
        found = self.search(search)
        if sort is Sort.ASCENDING:
            # Not simply reversed: equal prices stay in the order of their names.
            found.sort(key=lambda item: item.price_cents)
        start = (number - 1) * limit
        return found[start : start + limit], len(found)


def build() -> Catalogue:
    """Read the catalogue from the database."""
    columns = (
        Item.app_id,
        Item.market_hash_name,
        Item.gun_name,
        Item.skin_name,
        Item.image,
        Item.price_cents,
        Item.next_price_fetch_ms,
    )
    with reading():
        rows: Iterable[Any] = Item.select(*columns).where(Item.price_cents > 0).tuples()
        items = [_catalogue_item(*row) for row in rows]
    # Sorted here and not by the database, whose collation would order names in its own way.
    items.sort(key=lambda item: (-item.price_cents, item.market_hash_name))
    return Catalogue(tuple(items))


def _catalogue_item(*row: Any) -> CatalogueItem:
    _app_id, _name, gun_name, skin_name, *_ = row
    values = (*row, f"{gun_name}\0{skin_name}".casefold())
    return CatalogueItem(*values)


class CatalogueCache:
    """Keeps the catalogue for its time, and builds it once however many ask when that runs out."""

    def __init__(self, *, ttl_seconds: int, timer: Callable[[], float]) -> None:
        self._cache: TTLCache[object, Catalogue] = TTLCache(maxsize=1, ttl=ttl_seconds, timer=timer)
        self._condition = threading.Condition()

    @cachedmethod(lambda self: self._cache, condition=lambda self: self._condition)
    def current(self) -> Catalogue:
        """The catalogue of this hour: one object until it runs out, so what is made of it may be kept."""
        return build()
