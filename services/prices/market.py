"""The market: one item at a time, at most 20 a minute, for items that the feed does not contain."""

import random
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from models.database import reading, writing
from models.items import Item
from models.prices import HeldMarketPrice
from services.clock import Millis
from services.money import Cents
from services.prices import market_rate, sources
from services.prices.errors import BadDocument, SourceFailed, SourceRefuses, SourceUnavailable, Stopped
from services.prices.feed_update import AfterUpdate, BeforeUpdate
from services.prices.market_source import MarketSource
from services.prices.results import ItemCounts, Listener, Outcome, RefreshResult
from services.prices.rules import Verdict, judge
from services.prices.sources import Source

BASE_PAUSE_MS = Millis(60_000)
FAILED_MS = 60_000
"""When an item is asked for again whose ask failed. At once, and it would be the first in line for ever."""

RETRY_SECONDS = 1.0
KEPT_FOR_PLAYERS = 4
"""Slots that the background leaves for items that somebody is looking at."""


class NotNow(Exception):
    """The market may not be asked now: the minute's asks are spent, or the source is left alone."""


class AskedElsewhere(Exception):
    """Another is asking for this item, or it has been changed since it was read."""


@dataclass(frozen=True, kw_only=True)
class Market:
    """Asks for prices. ``period`` is how long one is good for.

    ``beside_feed`` says that there is a feed. Then it is asked only for the items that the feed is known
    not to contain.
    """

    source: MarketSource
    period: Millis
    beside_feed: bool
    clock: Callable[[], Millis]
    before_update: BeforeUpdate
    after_update: AfterUpdate
    tell: Listener
    stop: threading.Event
    _in_flight: dict[int, threading.Event] = field(default_factory=dict, init=False)

    def ask_for_due(self, *, before_each: Callable[[], None] = lambda: None) -> None:
        """Ask for the items that are due, the longest overdue first, as far as the minute allows.

        Raises Stopped. A failure of the source goes to ``tell`` and raises nothing.
        """
        sources.adopt(Source.MARKET, address=self.source.url)
        if market_rate.free_slots(now=self.clock()) > KEPT_FOR_PLAYERS:
            self._ask_all(self._due(), leave=KEPT_FOR_PLAYERS, before_each=before_each)

    def ask_for(self, item_ids: list[int]) -> None:
        """Ask for those of these items that are due, as far as the minute allows.

        Waits for those that another task of this process is asking for.
        """
        sources.adopt(Source.MARKET, address=self.source.url)
        self._ask_all(self._due(among=item_ids), leave=0)
        for asked in [self._in_flight.get(item_id) for item_id in item_ids]:
            if asked is not None:
                asked.wait(2 * self.source.most_seconds)

    def due_or_asked_for(self, item_ids: Collection[int]) -> list[int]:
        """Those of these items that may be asked for now, or that this process is asking for already."""
        asked = {item_id for item_id in item_ids if item_id in self._in_flight}
        return [*asked, *(item.id for item in self._due(among=item_ids) if item.id not in asked)]

    def refresh(self, *, accept_jumps: bool) -> ItemCounts:
        """Ask for the items that are due, or with ``accept_jumps`` for those held back, even during a pause.

        Raises SourceFailed.
        """
        sources.adopt(Source.MARKET, address=self.source.url)
        total = ItemCounts()
        for item in self._held_back() if accept_jumps else self._due():
            try:
                result = self._ask(item, accept_jumps=accept_jumps, respects_pause=False)
            except AskedElsewhere:
                continue
            except NotNow:
                break
            total.add(result.counts)
        return total

    def _ask_all(
        self, items: list[Item], *, leave: int, before_each: Callable[[], None] = lambda: None
    ) -> None:
        for item in items:
            before_each()
            try:
                self._ask(item, leave=leave)
            except AskedElsewhere:
                continue
            except (NotNow, SourceFailed):
                return

    def _ask(
        self, item: Item, *, leave: int = 0, accept_jumps: bool = False, respects_pause: bool = True
    ) -> RefreshResult:
        """Raises NotNow, AskedElsewhere, SourceFailed, Stopped."""
        with self._in_flight_for(item.id):
            slot = self._claim(item, leave=leave, respects_pause=respects_pause)
            return self._ask_on(slot, item, accept_jumps=accept_jumps)

    @contextmanager
    def _in_flight_for(self, item_id: int) -> Iterator[None]:
        ours = threading.Event()
        if self._in_flight.setdefault(item_id, ours) is not ours:
            raise AskedElsewhere
        try:
            yield
        finally:
            del self._in_flight[item_id]
            ours.set()

    def _ask_on(self, slot: int, item: Item, *, accept_jumps: bool) -> RefreshResult:
        try:
            stated = self._fetch(item, slot)
        except SourceFailed as failure:
            self._check_running()
            at_once = isinstance(failure, SourceRefuses)
            sources.failed(Source.MARKET, base_pause=BASE_PAUSE_MS, now=self.clock(), at_once=at_once)
            outcome = Outcome.BAD_DOCUMENT if isinstance(failure, BadDocument) else Outcome.UNAVAILABLE
            self.tell(RefreshResult(source=Source.MARKET, outcome=outcome, problem=str(failure)))
            raise
        self._check_running()
        sources.succeeded(Source.MARKET, now=self.clock())
        result = self._settle(item, stated, accept_jumps=accept_jumps)
        self.tell(result)
        return result

    def _fetch(self, item: Item, slot: int) -> Cents | None:
        """Ask, and once more when it failed at once and the minute allows it."""
        try:
            return self._fetch_once(item, slot)
        except SourceUnavailable as failure:
            if not failure.quick:
                raise
            if self.stop.wait(RETRY_SECONDS * random.uniform(0.5, 1)):  # noqa: S311  # so that many do not come back at once
                raise Stopped from None
            again = market_rate.take(now=self.clock())
            if again is None:
                raise
        return self._fetch_once(item, again)

    def _fetch_once(self, item: Item, slot: int) -> Cents | None:
        try:
            return self.source.ask(app_id=item.app_id, market_hash_name=item.market_hash_name)
        finally:
            if not self.stop.is_set():
                market_rate.used(slot, now=self.clock())

    def _claim(self, item: Item, *, leave: int, respects_pause: bool) -> int:
        """A slot to ask on for this item, as it was read. Who comes second gets AskedElsewhere."""
        self._check_running()
        now = self.clock()
        with writing():
            if respects_pause and sources.is_paused(sources.state(Source.MARKET), now):
                raise NotNow
            # Until the answer is there it is due again later, should this process end.
            if not self._postpone(item, Millis(now + min(FAILED_MS, self.period))):
                raise AskedElsewhere
            slot = market_rate.take(now=now, leave=leave)
            if slot is None:
                raise NotNow
        return slot

    def _check_running(self) -> None:
        # Whoever stops this waits a moment at most; what is written after that hits a database that is gone.
        if self.stop.is_set():
            raise Stopped

    def _postpone(self, item: Item, until: Millis) -> bool:
        seen = item.next_price_fetch_ms
        item.next_price_fetch_ms = until
        query = Item.update(next_price_fetch_ms=until).where(
            Item.id == item.id, Item.next_price_fetch_ms == seen, ~Item.custom_price
        )
        return bool(query.execute())

    def _settle(self, item: Item, stated: Cents | None, *, accept_jumps: bool) -> RefreshResult:
        """Set the item's price, if it is accepted, and the time of its next request.

        An item that the feed turned out to contain meanwhile, or that was imported again, is left alone.
        """
        counts = ItemCounts()
        now = self.clock()
        with writing():
            self.before_update()
            is_ours = (Item.id == item.id) & self._is_ours()
            stored: Any = Item.select(Item.price_cents).where(is_ours).get_or_none()
            changed = []
            if stated is None or stored is None:
                counts.missing = 1
            else:
                verdict = judge(stated, standing=stored.price_cents, accept_jumps=accept_jumps)
                counts.count(verdict, item.market_hash_name)
                _remember_held(item, is_held=verdict is Verdict.HELD_BACK, now=now)
                if verdict is Verdict.NEW and _set_price(is_ours, stated, stored.price_cents):
                    changed.append(item.id)
            self._postpone(item, Millis(now + self.period))
            self.after_update(changed)
        outcome = Outcome.NO_PRICE if stated is None else Outcome.APPLIED
        return RefreshResult(source=Source.MARKET, outcome=outcome, counts=counts)

    @reading()
    def _due(self, *, among: Collection[int] | None = None) -> list[Item]:
        """Items to ask for, the longest overdue first; of all items at most a minute's requests."""
        if self.beside_feed and sources.state(Source.FEED).succeeded_at_ms is None:
            # What the feed contains is not known before it has been read.
            return []
        query = Item.select().where(self._is_ours(), self._is_due(self.clock()))
        query = query.where(Item.id.in_(list(among))) if among is not None else query.limit(market_rate.SLOTS)
        return list(query.order_by(Item.next_price_fetch_ms, Item.id))

    def _is_ours(self) -> Any:
        is_free = ~Item.custom_price
        return is_free & ~Item.in_feed if self.beside_feed else is_free

    def _is_due(self, now: Millis) -> Any:
        """A time further ahead than any that is set was written by a wrong clock, and counts as long ago."""
        furthest = now + max(self.period, sources.LONGEST_PAUSE_MS) + sources.CLOCK_TOLERANCE_MS
        return ~Item.next_price_fetch_ms.between(now + 1, furthest)

    @reading()
    def _held_back(self) -> list[Item]:
        query = Item.select().join(HeldMarketPrice).where(~Item.custom_price)
        return list(query.order_by(HeldMarketPrice.held_at_ms, Item.id).limit(market_rate.SLOTS))


def _set_price(is_item: Any, price: Cents, stored: Cents | None) -> bool:
    stands = Item.price_cents.is_null() if stored is None else Item.price_cents == stored
    query = Item.update(price_cents=price, price_source=Source.MARKET).where(is_item, stands)
    return bool(query.execute())


def _remember_held(item: Item, *, is_held: bool, now: Millis) -> None:
    HeldMarketPrice.delete().where(HeldMarketPrice.item == item.id).execute()
    if is_held:
        HeldMarketPrice.insert(item=item.id, held_at_ms=now).execute()
