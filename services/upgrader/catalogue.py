"""The upgrader's catalogue: every item with a price above zero, held in memory for an hour.

A spin takes its price from here too, so the price that a player sees is the price that counts.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import peewee
from cachetools import LRUCache, cachedmethod

from models.db import waiting
from models.db.connection import database, reading, writing
from models.items import SHOWN_COLUMNS, Item
from models.leases import Lease
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from services.shared.money import Cents
from services.shared.pagination import Page, Place

log = logging.getLogger("platform.catalogue")

REBUILD_WAIT_SECONDS = 1.0
"""How long a request waits for a new catalogue when there is an old one. After one has timed out, the
others do not wait."""

RETRY_SECONDS = 1.0
"""How long the old catalogue is used after a failure to build a new one."""

ROUND_SECONDS = 1.0
"""How often a server looks for a catalogue that was published."""

PUBLISHED_WITHIN_SECONDS = 2
"""How soon all processes show a catalogue that was published: a round, and the time to load it."""

STORED = Lease.name == "catalogue"
"""The row whose epoch grows with each new catalogue that all processes must load."""

SEPARATOR = "\0"
"""Between the two names of an item. No search contains it, so no match spans both names."""

ITEMS_A_SLICE = 100
"""Well below a millisecond's work."""

MOST_FOUND_ITEMS = 2_000_000
"""In the results of all cached searches together. An item of a result takes eight bytes."""


class CatalogueItem(NamedTuple):
    """An item as the catalogue shows it. ``image`` as in models/items.py.

    A tuple, which is made in a quarter of a frozen dataclass's time: there are 34,500.
    """

    app_id: int
    market_hash_name: str
    gun_name: str
    skin_name: str
    image: str
    price_cents: Cents
    next_price_fetch_ms: Millis
    # Both names in folded case, for the search.
    folded_names: str


class Sort(StrEnum):
    """The order of a page, by price."""

    ASCENDING = "Ascending"
    DESCENDING = "Descending"


class Catalogue:
    """The catalogue as of one moment. Immutable."""

    def __init__(self, items: Sequence[CatalogueItem]) -> None:
        self.items = items
        """By price, the most expensive first; equal prices by name."""
        # Equal prices stay in the order of their names.
        ascending = sorted(items, key=attrgetter("price_cents"))
        self._orders = {Sort.DESCENDING: items, Sort.ASCENDING: ascending}
        self._guard = threading.Lock()
        self._found: LRUCache[Any, Sequence[CatalogueItem]] = LRUCache(
            MOST_FOUND_ITEMS, getsizeof=lambda found: len(found) + 50
        )

    @cached_property
    def by_name(self) -> Mapping[str, CatalogueItem]:
        return {item.market_hash_name: item for item in self.items}

    def page(self, place: Place, *, sort: Sort, search: str) -> Page[CatalogueItem]:
        """A page of the items whose gun or skin name contains this text in any case."""
        found = self._find(sort, search.casefold()) if search else self._orders[sort]
        return Page(list(place.slice(found)), len(found))

    @cachedmethod(lambda self: self._found, lock=lambda self: self._guard)
    def _find(self, sort: Sort, folded: str) -> Sequence[CatalogueItem]:
        # Searching 34,500 items takes about 4 ms.
        return [item for item in self._orders[sort] if folded in item.folded_names]


IS_SHOWN = (Item.price_cents > 0) & Item.withdrawn_at_ms.is_null()
SHOWN_ITEMS = Item.select(*SHOWN_COLUMNS).where(IS_SHOWN).order_by(Item.market_hash_name)


def build(query: Any = SHOWN_ITEMS) -> Catalogue:
    """Read the catalogue from the database, with pauses: 34,500 items take 0.3 s."""
    items = []
    with reading():
        # The driver's own rows: nothing in these columns needs converting.
        for row in in_slices(database.execute(query), ITEMS_A_SLICE):
            _app_id, _name, gun_name, skin_name, *_ = row
            items.append(CatalogueItem._make((*row, f"{gun_name}{SEPARATOR}{skin_name}".casefold())))
    # Sorted by name again, because the databases collate names differently.
    items.sort(key=attrgetter("market_hash_name"))
    pause()
    items.sort(key=attrgetter("price_cents"), reverse=True)
    pause()
    return Catalogue(items)


@reading()
def count_items() -> int:
    """How many items a catalogue that is built now shows."""
    return int(Item.select().where(IS_SHOWN).count())


@writing()
def publish() -> None:
    """Make all processes replace their catalogues, within PUBLISHED_WITHIN_SECONDS after the commit."""
    Lease.update(epoch=Lease.epoch + 1, until_ms=0).where(STORED).execute()


def _wait_for_first(building: Future[Catalogue]) -> Catalogue:
    with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
        try:
            return building.result(seconds)
        except TimeoutError:
            raise peewee.OperationalError("the catalogue was not built in time") from None


class CatalogueCache:
    """Caches the catalogue for ``ttl_seconds``, and builds the next one once for all waiting requests.

    An empty one is never cached, so that the first items are shown at once. While the database fails, the
    old catalogue is used.
    """

    def __init__(self, *, ttl_seconds: int, timer: Callable[[], float]) -> None:
        self._ttl_seconds = ttl_seconds
        self._timer = timer
        self._guard = threading.Lock()
        self._catalogue: Catalogue | None = None
        self._expires_at = 0.0
        self._building: Future[Catalogue] | None = None
        self._shown_epoch = 0
        self._is_late = False

    def current(self) -> Catalogue:
        """The current catalogue: the same object until it expires.

        Waits for the first one and raises the errors of building it; waits for a later one only for a second.
        """
        with self._guard:
            current = self._catalogue
            if current is not None and self._timer() < self._expires_at:
                return current
            building = self._building or self._begin()
            seconds = 0 if self._is_late else REBUILD_WAIT_SECONDS
        if current is None:
            return _wait_for_first(building)
        try:
            return building.result(seconds)
        except Exception:  # noqa: BLE001  # logged by _build
            self._is_late = True
            return current

    @reading()
    def load_newest(self) -> None:
        """Begin to load a catalogue that was published since the current one. Raises one of UNAVAILABLE."""
        self._show(Lease.get(STORED).epoch)

    def _show(self, epoch: int) -> None:
        with self._guard:
            # The first request loads the first one.
            if self._catalogue and epoch != self._shown_epoch and self._building is None:
                self._begin()

    def _next(self) -> tuple[Catalogue, float]:
        """The catalogue to show next, and for how many seconds from now."""
        with reading():
            # Before the items, which are at least as new.
            self._shown_epoch = Lease.get(STORED).epoch
            return build(), self._ttl_seconds

    def _begin(self) -> Future[Catalogue]:
        building: Future[Catalogue] = Future()
        self._building = building
        # In a thread, so that the first request does not wait longer than the others.
        threading.Thread(target=self._build, args=[building], daemon=True).start()
        return building

    def _build(self, building: Future[Catalogue]) -> None:
        began = self._timer()
        try:
            built, seconds = self._next()
        except Exception as failure:
            log.exception("catalogue not built", extra={"event": "catalogue"})
            with self._guard:
                self._building = None
                self._expires_at = self._timer() + RETRY_SECONDS
            building.set_exception(failure)
            return
        with self._guard:
            self._building, self._is_late = None, False
            self._catalogue = built if built.items else None
            self._expires_at = began + seconds
        building.set_result(built)
