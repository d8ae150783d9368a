"""The upgrader's catalogue: every item with a price above zero, held in memory for an hour.

A spin takes its price from here too, so the price that a player sees is the price that counts. All processes
show the same catalogue: a copy of the items, made by the first process that needs a new one.
"""

import logging
import math
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from cachetools import LRUCache, TTLCache, cached, cachedmethod
from peewee import fn

from models.db.connection import database, reading, writing
from models.items import SHOWN_COLUMNS, Item, SharedItem
from models.processes import Lease
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from services.shared.locks import BuildCondition
from services.shared.money import Cents
from services.shared.pagination import Page, Place
from services.shared.text import plain_names, words_of

log = logging.getLogger("platform.catalogue")

REBUILD_WAIT_SECONDS = 1.0
"""How long a request waits for a new catalogue when there is an old one."""

PUBLISHED_WITHIN_SECONDS = 2
"""How soon all processes show a newer catalogue: they look for it twice a second, and load it then."""

STORED = Lease.name == "catalogue"
"""The row whose epoch grows with each new copy, and with each catalogue that is published. It says until when
the copy is shown."""

ITEMS_A_SLICE = 100
"""Well below a millisecond's work."""

MOST_FOUND_ITEMS = 2_000_000
"""In the results of all cached searches together. An item of a result takes eight bytes."""

WEARS = frozenset({"Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred"})
_LAST_PARENTHESES = re.compile(r"\s*\(([^()]*)\)(?=[^()]*\Z)")
SEPARATOR = " | "


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
    # For the search.
    plain_names: str


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

    def page(
        self,
        place: Place,
        *,
        sort: Sort,
        search: str = "",
        name: str | None = None,
        app_id: int | None = None,
        wear: str | None = None,
        least: Cents | None = None,
        most: Cents | None = None,
    ) -> Page[CatalogueItem]:
        """A page of the items that a search finds: see services/shared/text.py.

        A search without words finds by a part of the gun's or the skin's name in any case. ``name`` is the
        full name of one item, ``app_id`` their game, ``wear`` the one in their full names; ``least`` and
        ``most`` are bounds of the price.
        """
        found = self._orders[sort]
        if name is not None:
            found = [self.by_name[name]] if name in self.by_name else []
        elif search or app_id or wear:
            found = self._find(sort, search, app_id, f"({wear})" if wear else "")
        start, end = _bounds(found, sort, least, most)
        total = end - start
        first, last = place.bounds(total)
        return Page(list(found[start + first : start + last]), total)

    @cachedmethod(lambda self: self._found, lock=lambda self: self._guard)
    def _find(self, sort: Sort, search: str, app_id: int | None, wear: str) -> Sequence[CatalogueItem]:
        # Searching 34,500 items takes about 4 ms.
        words, found = words_of(search), self._orders[sort]
        for word in words:
            found = [item for item in found if word in item.plain_names]
        if not words and search:
            folded = search.casefold()
            found = [item for item in found if folded in f"{item.gun_name}\0{item.skin_name}".casefold()]
        return [
            item
            for item in found
            if wear in item.market_hash_name and (app_id is None or app_id == item.app_id)
        ]


def _bounds(
    items: Sequence[CatalogueItem], sort: Sort, least: Cents | None, most: Cents | None
) -> tuple[int, int]:
    """Where the items with prices within these bounds begin and end in a sorted list."""
    low, high = least or 0, math.inf if most is None else most
    if sort is Sort.ASCENDING:
        start = bisect_left(items, low, key=attrgetter("price_cents"))
        end = bisect_right(items, high, key=attrgetter("price_cents"))
    else:
        start = bisect_left(items, -high, key=_negative_price)
        end = bisect_right(items, -low, key=_negative_price)
    return start, max(start, end)


def _negative_price(item: CatalogueItem) -> int:
    return -item.price_cents


IS_SHOWN = (Item.price_cents > 0) & Item.retired_at_ms.is_null()
SHOWN_ITEMS = Item.select(*SHOWN_COLUMNS).where(IS_SHOWN).order_by(Item.market_hash_name)


def build(query: Any = SHOWN_ITEMS) -> Catalogue:
    """Read the catalogue from the database, with pauses: 34,500 items take 0.3 s."""
    items = []
    with reading():
        # The driver's own rows: nothing in these columns needs converting.
        for row in in_slices(database.execute(query), ITEMS_A_SLICE):
            _app_id, *its_names, _image, _price, _next_fetch = row
            items.append(CatalogueItem._make((*row, plain_names(*its_names))))
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


class CatalogueCache:
    """Caches the catalogue for ``ttl_seconds``. Concurrent requests build the next one once.

    An empty one is never cached, so that the first items are shown at once. While the next one can't be
    built, the old one is shown.
    """

    def __init__(self, *, ttl_seconds: int, timer: Callable[[], float]) -> None:
        self._ttl_ms = ttl_seconds * 1000
        # An empty catalogue is too large for the cache.
        self._cache: TTLCache[Any, Catalogue] = TTLCache(
            1, ttl_seconds, timer, getsizeof=lambda catalogue: 1 if catalogue.items else 2
        )
        self._guard = BuildCondition()
        self._cached = cached(self._cache, condition=self._guard)(self._next)
        self._last = Catalogue([])
        """What was loaded last."""
        self._loaded: tuple[int, bool] | None = None
        """The state of the row STORED when it was loaded; None after a failure."""
        self._loader: threading.Thread | None = None

    def current(self) -> Catalogue:
        """The current catalogue: the same object until it expires or a newer one is loaded.

        Waits for the first one and raises the errors of building it; waits for a later one only for a second.
        """
        return self._cached()

    def load_newest(self) -> None:
        """Begin to load the catalogue if another one was stored or published, or its time is over.

        The first one is loaded by a request. Raises one of UNAVAILABLE.
        """
        if self._last.items and (self._loaded != self._stored() or self._shows_another()):
            self._begin_to_load()

    def _shows_another(self) -> bool:
        """Whether a request that waited too long has put the old catalogue back."""
        with self._guard:
            return self._cache.get(self._cached.cache_key(), self._last) is not self._last

    def _next(self) -> Catalogue:
        if not self._last.items:
            return self._load()
        self._begin_to_load().join(REBUILD_WAIT_SECONDS)
        # Still the old one when this takes longer or fails. The next requests don't wait then.
        return self._last

    def _begin_to_load(self) -> threading.Thread:
        with self._guard:
            if self._loader is None or not self._loader.is_alive():
                self._loader = threading.Thread(target=self._replace, daemon=True)
                self._loader.start()
            return self._loader

    def _replace(self) -> None:
        try:
            newest = self._load()
        except Exception:
            log.exception("catalogue not built", extra={"event": "catalogue"})
            # The server's next round tries again.
            self._loaded = None
            return
        with self._guard:
            self._cache.clear()
            with suppress(ValueError):
                self._cache[self._cached.cache_key()] = newest

    @reading()
    def _load(self) -> Catalogue:
        # SQLite serves one process, and would need 0.3 s for the copy, in which nothing else runs.
        if database.is_shared:
            self._store_if_expired()
        # If the copy is replaced after this, the next round loads the new one.
        stored = _, is_current = self._stored()
        catalogue = build(SharedItem.select() if is_current else SHOWN_ITEMS)
        self._loaded, self._last = stored, catalogue
        return catalogue

    @writing()
    def _store_if_expired(self) -> None:
        """Begin a new epoch and copy its items, unless another process has done so. It is waited for.

        Without any item there is nothing to store.
        """
        renewal: Any = Lease.update(epoch=Lease.epoch + 1, until_ms=database.now_ms + self._ttl_ms)
        if renewal.where(STORED, ~self._is_current(), fn.EXISTS(SHOWN_ITEMS)).execute():
            SharedItem.delete().execute()
            SharedItem.insert_from(SHOWN_ITEMS, [column.name for column in SHOWN_COLUMNS]).execute()

    @reading()
    def _stored(self) -> tuple[int, bool]:
        """The epoch, and whether the copy of the items is current."""
        query: Any = Lease.select(Lease.epoch, self._is_current()).where(STORED)
        epoch, is_current = query.tuples().get()
        return epoch, bool(is_current)

    def _is_current(self) -> Any:
        # A copy that lasts longer than any was made before the clock was set back.
        return Lease.until_ms.between(database.now_ms + 1, database.now_ms + self._ttl_ms)


@dataclass(frozen=True)
class ItemName:
    """The parts of a market name. ``wear`` is None when the name has none."""

    gun_name: str
    skin_name: str
    wear: str | None


def parse_name(market_hash_name: str) -> ItemName:
    """Split at the first " | ". Without one, the whole name is the gun name. The skin name has no wear."""
    gun_name, _, skin_name = market_hash_name.partition(SEPARATOR)
    match = _LAST_PARENTHESES.search(market_hash_name)
    wear = match.group(1) if match and match.group(1) in WEARS else None
    if wear and skin_name:
        skin_name = _LAST_PARENTHESES.sub("", skin_name)
    return ItemName(gun_name, skin_name, wear)
