"""Item prices from the feed and the market, as the rest of the platform uses them."""

import threading
from collections.abc import Callable, Collection, Iterator
from typing import Any

from models.db import waiting
from models.db.connection import writing
from models.items import PriceSource
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.items.prices import sources
from services.items.prices.feed import Feed
from services.items.prices.market import Market
from services.items.prices.sources import ItemCounts, RefreshResult, Source
from services.shared.background import pause
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.lease import Lease
from services.shared.signals import Signal, Signals

ROUND_SECONDS = 5.0
"""The longest time between two rounds of the background task."""

WAIT_SECONDS = 3.0
"""How long a request waits for prices. Prices that come later are in the next response."""


class Stopped(Exception):
    """The process is shutting down."""


class PriceService:
    """Refreshes prices from the sources whose URLs are set. Without any, prices stay.

    One background task in each server process calls ``run_due`` repeatedly. Only the leader, the process that
    has the lease, asks the sources and writes their answers.
    """

    def __init__(
        self,
        *,
        feed_url: str,
        market_url: str,
        period: Millis,
        clock: Callable[[], Millis],
        signals: Signals,
    ) -> None:
        self.listeners: list[Callable[[RefreshResult], None]] = []
        """Called with every result of ``run_due``. They must not raise."""
        self.on_wanted: list[Callable[[], None]] = []
        """Called when requests wait for prices. Empty in a process without the background task."""
        self.round_seconds = min(ROUND_SECONDS, period / 1000)
        self._stop = threading.Event()
        self._wanted: set[int] = set()
        """The ids of items without a price that requests wait for."""
        self._asked = threading.Condition()
        """Notified when items of ``_wanted`` have been asked for."""
        self._lease = Lease("price refresh")
        self._signals = signals
        self._clock = clock
        signals.on(Signal.PRICES, self._on_signal)
        shared: dict[str, Any] = {
            "lease": self._lease,
            "period": period,
            "clock": clock,
            "between": self._between,
        }
        self._feed = Feed(url=feed_url, has_market=bool(market_url), **shared) if feed_url else None
        self._market = Market(url=market_url, has_feed=bool(feed_url), **shared) if market_url else None

    @property
    def has_sources(self) -> bool:
        """Whether any source is set."""
        return bool(self._feed or self._market)

    @property
    def is_leader(self) -> bool:
        """Whether this process refreshes the prices."""
        return self._lease.is_held

    def run_due(self) -> None:
        """Refresh due prices if this process is or becomes the leader, first those that requests wait for.

        Reports every result. Raises Stopped, and LeaseLost when another process becomes the leader.
        """
        if not self._lease.acquire():
            return
        while True:
            self._between()
            # Before the feed is looked at: its answer may lack an item that is wanted only afterwards.
            with self._asked:
                wanted = set(self._wanted)
            if self._feed and (result := self._feed.refresh_if_due()):
                self._report(result)
            self._ask_for(wanted)
            if not self._ask_for_one():
                return

    def refresh(self, *, accept_jumps: bool) -> ItemCounts:
        """Fetch the feed now, and due prices from the market. ``accept_jumps`` accepts held back prices.

        This takes the lead, and gives it back at the end. A leader that is in the middle of a refresh stops.
        Raises SourceFailed, LeaseLost, and Refusal when no source is set.
        """
        if not self.has_sources:
            raise Refusal("no price source is set: PRICE_FEED_URL or PRICE_MARKET_URL")
        if accept_jumps:
            with writing():
                record(AuditEventType.PRICE_JUMPS_ACCEPTED, now=self._clock(), user_id=None)
        counts = ItemCounts()
        self._lease.take_over()
        try:
            for result in self._refresh(accept_jumps=accept_jumps):
                if result.failure:
                    raise result.failure
                counts.add(result.counts)
        finally:
            self._lease.release()
        return counts

    def refresh_soon(self, *, accept_jumps: bool, reason: str, now: Millis) -> None:
        """Let the leader refresh the feed at its next round, within ``ROUND_SECONDS``.

        ``accept_jumps`` accepts prices of the feed that were held back. Raises Refusal without a feed.
        """
        if not self._feed:
            raise Refusal("no price feed is set: PRICE_FEED_URL")
        with writing():
            sources.refresh_feed_soon()
            if accept_jumps:
                sources.accept_jumps_soon(now=now)
                record(AuditEventType.PRICE_JUMPS_ACCEPTED, now=now, user_id=None, after=because(reason))
            else:
                record(AuditEventType.PRICES_REFRESHED, now=now, user_id=None, after=because(reason))

    def _refresh(self, *, accept_jumps: bool) -> Iterator[RefreshResult]:
        if self._feed:
            yield self._feed.refresh(accept_jumps=accept_jumps)
        if self._market:
            yield from self._market.refresh(accept_jumps=accept_jumps)

    def refresh_missing(self, item_ids: Collection[int]) -> None:
        """Let the leader fetch the prices of these items, which have none, and wait up to three seconds.

        The wait counts against the request's wait budget. Call it without a transaction or a connection,
        since these would be held meanwhile.
        """
        missing = set(item_ids)
        if not missing or not self.on_wanted:
            return
        with self._asked:
            self._wanted |= missing
            self._wake()
            if not self.is_leader:
                self._signals.publish(Signal.PRICES, {"wanted": sorted(missing)})
            with waiting.wait(WAIT_SECONDS) as seconds:
                self._asked.wait_for(lambda: self._wanted.isdisjoint(missing), seconds)

    def states(self) -> list[PriceSource]:
        """The state of each source that is set."""
        used = {Source.FEED: self._feed, Source.MARKET: self._market}
        return [sources.state(source) for source, is_set in used.items() if is_set]

    def stop(self) -> None:
        """End the background task's round at its next step."""
        self._stop.set()

    def release(self) -> None:
        """After ``stop``: let another process become the leader."""
        self._lease.release()

    def _on_signal(self, message: dict[str, list[int]]) -> None:
        """Add items that requests to other processes wait for; drop those that the leader has asked for."""
        with self._asked:
            if self.on_wanted and self.is_leader and message.get("wanted"):
                self._wanted.update(message["wanted"])
                self._wake()
            self._wanted.difference_update(message.get("asked", ()))
            self._asked.notify_all()

    def _wake(self) -> None:
        for wanted in self.on_wanted:
            wanted()

    def _ask_for(self, wanted: set[int]) -> None:
        while wanted and self._ask_for_one(among=wanted):
            self._between()
        if wanted:
            self._signals.publish(Signal.PRICES, {"asked": sorted(wanted)})
        with self._asked:
            self._wanted -= wanted
            self._asked.notify_all()

    def _ask_for_one(self, *, among: Collection[int] | None = None) -> bool:
        """Ask the market for a due item. Returns whether there may be more."""
        result = self._market.ask_for_one(among=among) if self._market else None
        if result:
            self._report(result)
        return result is not None

    def _between(self) -> None:
        """Let other greenlets run between two steps. Raises Stopped."""
        if self._stop.is_set():
            raise Stopped
        pause()

    def _report(self, result: RefreshResult) -> None:
        for listener in self.listeners:
            listener(result)
