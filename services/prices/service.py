"""Item prices from the feed and the market, as the rest of the platform uses them."""

import threading
from collections.abc import Callable, Sequence

from models.items import Item
from services.clock import Millis
from services.errors import OperatorError
from services.prices import sources
from services.prices.feed import Feed
from services.prices.feed_source import FeedSource
from services.prices.feed_update import AfterUpdate, BeforeUpdate
from services.prices.market import Market
from services.prices.market_source import MarketSource
from services.prices.on_demand_prices import OnDemandPrices, Spawn
from services.prices.results import ItemCounts, Listener, RefreshResult, SourceState
from services.prices.sources import Source

ROUND_SECONDS = 5.0
"""The longest time between two rounds of the background task."""


class PriceService:
    """Refreshes prices from the sources that are set; with neither, prices stay.

    ``before_update`` and ``after_update`` come first and last in every transaction that changes items
    (services/prices/feed_update.py).
    """

    def __init__(
        self,
        *,
        feed: FeedSource | None,
        market: MarketSource | None,
        period: Millis,
        clock: Callable[[], Millis],
        before_update: BeforeUpdate,
        after_update: AfterUpdate,
    ) -> None:
        self.listeners: list[Listener] = []
        self.spawn: Spawn = _on_a_thread
        self._clock = clock
        self._stop = threading.Event()
        self._feed = (
            None
            if feed is None
            else Feed(
                source=feed,
                period=period,
                is_only_source=market is None,
                clock=clock,
                before_update=before_update,
                after_update=after_update,
                tell=self._tell,
                stop=self._stop,
            )
        )
        self._market = (
            None
            if market is None
            else Market(
                source=market,
                period=period,
                beside_feed=feed is not None,
                clock=clock,
                before_update=before_update,
                after_update=after_update,
                tell=self._tell,
                stop=self._stop,
            )
        )
        self._on_demand = OnDemandPrices(feed=self._feed, market=self._market)

    @property
    def has_sources(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self._feed or self._market)

    def run_due(self) -> None:
        """Refresh what is due. Raises Stopped; a failure of a source only goes to the listeners."""
        self._refresh_feed_if_due()
        if self._market:
            # A slow market must not hold up the feed.
            self._market.ask_for_due(before_each=self._refresh_feed_if_due)

    def seconds_to_next(self) -> float:
        """When ``run_due`` should be called again."""
        if not self._feed:
            return ROUND_SECONDS
        ahead = (self._feed.next_refresh() - self._clock()) / 1000
        return min(max(ahead, 0.1), ROUND_SECONDS)

    def refresh(self, *, accept_jumps: bool) -> ItemCounts:
        """Ask the feed now, and the market for what is due; held back prices are taken with ``accept_jumps``.

        Raises SourceFailed, and OperatorError when there is nothing to ask.
        """
        if not self.has_sources:
            raise OperatorError("no price source is set: PRICE_FEED_URL or PRICE_MARKET_URL")
        counts = ItemCounts()
        if self._feed:
            counts.add(self._feed.refresh(accept_jumps=accept_jumps))
        if self._market:
            counts.add(self._market.refresh(accept_jumps=accept_jumps))
        return counts

    def refresh_missing(self, items: Sequence[Item]) -> None:
        """Ask for the prices that these items lack, and fill in those that come within three seconds.

        The others are asked for all the same, as far as the sources' limits allow. Never raises for a source.
        To be called without a transaction or a connection, which would be held for as long.
        """
        if self.has_sources and not self._stop.is_set():
            self._on_demand.refresh(items, spawn=self.spawn)

    def states(self) -> list[SourceState]:
        """The state of each source that is set."""
        used = [
            source for source, is_set in ((Source.FEED, self._feed), (Source.MARKET, self._market)) if is_set
        ]
        rows = {source: sources.state(source) for source in used}
        now = self._clock()
        return [
            SourceState(
                source=source, succeeded_at_ms=row.succeeded_at_ms, is_paused=sources.is_paused(row, now)
            )
            for source, row in rows.items()
        ]

    def stop(self) -> None:
        """Interrupt what is running as soon as possible, without using the database again."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait, unless or until it is to stop; whether it is."""
        return self._stop.wait(seconds)

    def give_back(self) -> None:
        """After ``stop``: leave an interrupted refresh to the next process."""
        if self._feed:
            self._feed.give_back()

    def _refresh_feed_if_due(self) -> None:
        if self._feed:
            self._feed.refresh_if_due()

    def _tell(self, result: RefreshResult) -> None:
        for listener in self.listeners:
            listener(result)


def _on_a_thread(task: Callable[[], None]) -> None:
    threading.Thread(target=task, daemon=True).start()
