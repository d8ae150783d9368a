"""Living prices as the rest of the platform sees them."""

import threading
from collections.abc import Callable, Sequence

from models.items import Item
from services.clock import Millis
from services.errors import OperatorError
from services.prices import sources
from services.prices.errors import Stopped
from services.prices.feed import Feed
from services.prices.feed_source import FeedSource
from services.prices.feed_update import AfterUpdate, Applied, BeforeUpdate
from services.prices.market import Market
from services.prices.market_source import MarketSource
from services.prices.missing import MissingPrices, Spawn
from services.prices.sources import Source
from services.prices.turns import SourceState, Tell, Turn

LONGEST_ROUND_SECONDS = 30.0
"""How late a step of the system clock is noticed, or a turn that another process has left."""

MARKET_ROUND_SECONDS = 5.0
WANTED_PERIOD_MS = Millis(30_000)
"""How old the feed's last turn must be before an item without a price brings about the next one."""


class PriceService:
    """Keeps prices alive from the sources that are set; with neither, prices stay.

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
        self.listeners: list[Tell] = []
        self.spawn: Spawn = _on_a_thread
        self._clock = clock
        self._stop = threading.Event()
        self._missing = MissingPrices(ask=self._ask_for, is_asked_for=self._is_asked_for)
        self._feed = feed and Feed(
            source=feed,
            period=period,
            holds_all=market is None,
            clock=clock,
            before_update=before_update,
            after_update=after_update,
            tell=self._tell,
            stop=self._stop,
        )
        self._market = market and Market(
            source=market,
            period=period,
            beside_feed=feed is not None,
            clock=clock,
            before_update=before_update,
            after_update=after_update,
            tell=self._tell,
            stop=self._stop,
        )

    @property
    def has_sources(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self._feed or self._market)

    def run_due(self) -> None:
        """Take the turns that are due. Raises Stopped; a source that failed is told of and no error."""
        if self._feed:
            self._feed.turn_if_due()
        if self._market:
            self._market.ask_for_due()

    def seconds_to_next(self) -> float:
        """When ``run_due`` should be called again."""
        if self._market:
            return MARKET_ROUND_SECONDS
        if not self._feed:
            return LONGEST_ROUND_SECONDS
        ahead = (self._feed.next_turn() - self._clock()) / 1000
        return min(max(ahead, 0.1), LONGEST_ROUND_SECONDS)

    def refresh(self, *, accept_jumps: bool) -> Applied:
        """Ask the feed now, and the market for what is due; held back prices are taken with ``accept_jumps``.

        Raises SourceFailed, and OperatorError when there is nothing to ask.
        """
        if not self.has_sources:
            raise OperatorError("no price source is set: PRICE_FEED_URL or PRICE_MARKET_URL")
        applied = Applied()
        if self._feed:
            applied.add(self._feed.refresh(accept_jumps=accept_jumps))
        if self._market:
            applied.add(self._market.refresh(accept_jumps=accept_jumps))
        return applied

    def refresh_missing(self, items: Sequence[Item]) -> None:
        """Ask for the prices that these items lack, and fill in those that come within three seconds.

        The others are asked for all the same, as far as the sources' limits allow. Never raises for a source.
        To be called without a transaction or a connection, which would be held for as long.
        """
        if self.has_sources and not self._stop.is_set():
            self._missing.refresh(items, now=self._clock(), spawn=self.spawn)

    def states(self) -> list[SourceState]:
        """How each source that is set is doing."""
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
        """End what is under way as soon as it can be, without a further word to the database."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait, unless or until it is to stop; whether it is."""
        return self._stop.wait(seconds)

    def give_back(self) -> None:
        """After ``stop``: leave a turn that was cut short to the next process."""
        if self._feed:
            self._feed.give_back()

    def _ask_for(self, item_ids: list[int]) -> None:
        try:
            if self._feed and self._feed.may_hold_one_of(item_ids):
                self._feed.turn_if_due(period=WANTED_PERIOD_MS)
            if self._market:
                self._market.ask_for(item_ids)
        except Stopped:
            return

    def _is_asked_for(self, item_id: int) -> bool:
        return bool(self._market and self._market.is_asking_for(item_id))

    def _tell(self, turn: Turn) -> None:
        for listener in self.listeners:
            listener(turn)


def _on_a_thread(task: Callable[[], None]) -> None:
    threading.Thread(target=task, daemon=True).start()
