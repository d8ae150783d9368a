"""The market: one item at a time, at most 20 a minute, for items that the feed does not contain."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from models.db.connection import reading
from models.items import Item
from models.prices import HeldMarketPrice
from services.cases import version
from services.cases.pricing import reprice_cases_holding
from services.prices import market_rate, market_source, sources
from services.prices.errors import SourceFailed
from services.prices.results import ItemCounts, Listener, Outcome, RefreshResult
from services.prices.rules import Verdict, judge
from services.prices.sources import Source
from services.shared.clock import Millis
from services.shared.lease import Lease
from services.shared.money import Cents

RETRY_MS = 60_000
"""When an item whose request failed is due again. Until then other items are requested."""


@dataclass(frozen=True, kw_only=True)
class Market:
    """Asks for the prices of items, each again after ``period``, while this process has the lease.

    With ``has_feed``, only of items that the feed is known not to contain. ``tell`` gets every result.
    ``between`` is called between two steps of work, and raises Stopped when the process ends.
    """

    url: str
    period: Millis
    has_feed: bool
    lease: Lease
    clock: Callable[[], Millis]
    tell: Listener
    between: Callable[[], None]

    def ask_for_one(self, *, among: Collection[int] | None = None) -> bool:
        """Ask for the item that has been due the longest, if the market may be asked now.

        ``among`` limits this to items with these ids. Returns whether there may be more due items. A
        failure goes to ``tell``. Raises LeaseLost, Stopped.
        """
        if sources.is_paused(Source.MARKET, now=self.clock()):
            return False
        item = self._claim_due(among)
        if item is not None:
            with suppress(SourceFailed):
                self._ask(item, accept_jumps=False)
        return item is not None

    def refresh(self, *, accept_jumps: bool) -> ItemCounts:
        """Ask for the items that are due, or with ``accept_jumps`` for those held back, even during a pause.

        At most as many as this minute allows. Raises LeaseLost, SourceFailed.
        """
        total = ItemCounts()
        if accept_jumps:
            for item in self._held_back():
                with self.lease.fenced(seconds=market_source.TIMEOUT_SECONDS):
                    may_ask = market_rate.take(now=self.clock())
                if may_ask:
                    total.add(self._ask(item, accept_jumps=True))
        else:
            while due := self._claim_due(None):
                total.add(self._ask(due, accept_jumps=False))
        return total

    def _claim_due(self, among: Collection[int] | None) -> Item | None:
        """The item that has been due the longest, and one of this minute's requests for it."""
        now = self.clock()
        query = Item.select().where(self._is_asked_for(), self._is_due(now))
        if among is not None:
            query = query.where(Item.id.in_(list(among)))
        with reading():
            item: Item | None = query.order_by(Item.next_price_fetch_ms, Item.id).first()
        if item is None:
            return None
        with self.lease.fenced(seconds=market_source.TIMEOUT_SECONDS):
            is_claimed = market_rate.take(now=now) and _postpone(
                item, Millis(now + min(RETRY_MS, self.period))
            )
        return item if is_claimed else None

    def _ask(self, item: Item, *, accept_jumps: bool) -> ItemCounts:
        try:
            stated = market_source.ask(self.url, app_id=item.app_id, market_hash_name=item.market_hash_name)
        except SourceFailed as failure:
            self.between()
            with self.lease.fenced():
                sources.failed(Source.MARKET, now=self.clock())
            self.tell(RefreshResult.of_failure(Source.MARKET, failure))
            raise
        self.between()
        with self.lease.fenced():
            counts = self._store(item, stated, accept_jumps=accept_jumps)
        outcome = Outcome.NO_PRICE if stated is None else Outcome.APPLIED
        self.tell(RefreshResult(source=Source.MARKET, outcome=outcome, counts=counts))
        return counts

    def _store(self, item: Item, stated: Cents | None, *, accept_jumps: bool) -> ItemCounts:
        """Set the item's price, if it is accepted, and when it is due again. Needs a transaction.

        The price stays if the feed turned out to contain the item, or an import made the price a custom one.
        """
        version.begin_change()
        counts = ItemCounts()
        now = self.clock()
        stored: Any = (
            Item.select(Item.price_cents).where(Item.id == item.id, self._is_asked_for()).get_or_none()
        )
        if stated is None or stored is None:
            counts.missing = 1
        else:
            verdict = judge(stated, standing=stored.price_cents, accept_jumps=accept_jumps)
            counts.count(verdict, item.market_hash_name)
            HeldMarketPrice.delete().where(HeldMarketPrice.item == item.id).execute()
            if verdict is Verdict.HELD_BACK:
                HeldMarketPrice.insert(item=item.id, held_at_ms=now).execute()
            elif verdict is Verdict.NEW:
                new = Item.update(price_cents=stated, price_source=Source.MARKET)
                new.where(Item.id == item.id).execute()
                reprice_cases_holding([item.id])
        _postpone(item, Millis(now + self.period))
        sources.succeeded(Source.MARKET, now=now, next_at=now)
        return counts

    def _is_asked_for(self) -> Any:
        return ~Item.custom_price & ~Item.in_feed if self.has_feed else ~Item.custom_price

    def _is_due(self, now: Millis) -> Any:
        # A time further ahead than any that is set here was written before the clock was set back.
        furthest = now + max(self.period, RETRY_MS) + sources.CLOCK_TOLERANCE_MS
        return ~Item.next_price_fetch_ms.between(now + 1, furthest)

    @reading()
    def _held_back(self) -> list[Item]:
        query = Item.select().join(HeldMarketPrice).where(~Item.custom_price)
        return list(query.order_by(HeldMarketPrice.held_at_ms, Item.id))


def _postpone(item: Item, until: Millis) -> bool:
    """Set when the item is due again, unless an import has set it since it was read. Needs a transaction."""
    read = item.next_price_fetch_ms
    item.next_price_fetch_ms = until
    query = Item.update(next_price_fetch_ms=until)
    return bool(query.where(Item.id == item.id, Item.next_price_fetch_ms == read).execute())
