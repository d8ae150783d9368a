"""The upgrader's catalogue: every item with a price above zero, held in memory for an hour.

What it shows is what counts: a spin takes its price from here, so a player never pays another price
than the one on the screen.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import peewee

from models import patience
from models.database import reading
from models.items import Item
from services.clock import Millis
from services.money import Cents

log = logging.getLogger("platform.catalogue")

MOMENT_SECONDS = 1.0
"""How long one who asks waits for a new catalogue when there is an old one. Of those that were late nobody
waits for the next."""

RETRY_SECONDS = 1.0
"""After a failure the old one is good for this long."""


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


def _first(building: Future[Catalogue]) -> Catalogue:
    with patience.waiting(patience.ANSWER_SECONDS) as seconds:
        try:
            return building.result(seconds)
        except TimeoutError:
            raise peewee.OperationalError("the catalogue was not built in time") from None


class CatalogueCache:
    """Keeps the catalogue for its time, and builds it once however many ask when that runs out.

    When the database does not give a new one, the old one is shown for longer.
    """

    def __init__(self, *, ttl_seconds: int, timer: Callable[[], float]) -> None:
        self._ttl_seconds = ttl_seconds
        self._timer = timer
        self._guard = threading.Lock()
        self._kept: Catalogue | None = None
        self._good_until = 0.0
        self._building: Future[Catalogue] | None = None
        self._is_late = False

    def current(self) -> Catalogue:
        """The catalogue of this hour: one object until it runs out, so what is made of it may be kept.

        The first one is waited for, and raises what building it raises; a new one only for a moment.
        """
        with self._guard:
            kept = self._kept
            if kept is not None and self._timer() < self._good_until:
                return kept
            building = self._building or self._begin()
            seconds = 0 if self._is_late else MOMENT_SECONDS
        if kept is None:
            return _first(building)
        try:
            return building.result(seconds)
        except Exception:  # noqa: BLE001  # told of where it happened
            self._is_late = True
            return kept

    def _begin(self) -> Future[Catalogue]:
        building: Future[Catalogue] = Future()
        self._building = building
        # Beside the request: whoever asks first must not wait for longer than the others.
        threading.Thread(target=self._build, args=[building], daemon=True).start()
        return building

    def _build(self, building: Future[Catalogue]) -> None:
        try:
            built = build()
        except Exception as failure:
            log.exception("catalogue not built", extra={"event": "catalogue"})
            with self._guard:
                self._building = None
                self._good_until = self._timer() + RETRY_SECONDS
            building.set_exception(failure)
            return
        with self._guard:
            self._building, self._kept, self._is_late = None, built, False
            self._good_until = self._timer() + self._ttl_seconds
        building.set_result(built)
