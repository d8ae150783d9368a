"""The price feed: one document with the prices of all items, fetched at intervals."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from services.prices import feed_document, feed_update, sources
from services.prices.errors import SourceFailed
from services.prices.fetching import fetch
from services.prices.results import ItemCounts, Listener, RefreshResult
from services.prices.sources import Source
from services.shared.clock import Millis

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 60.0
MAX_REDIRECTS = 3


@dataclass(kw_only=True)
class Feed:
    """Refreshes prices from the feed every ``period``.

    ``has_market``: whether a market has prices for the items that the feed does not contain. ``tell`` gets
    every result. ``between`` is called between two steps of work and raises Stopped when the process ends.
    """

    url: str
    period: Millis
    has_market: bool
    clock: Callable[[], Millis]
    tell: Listener
    between: Callable[[], None]
    began_at: Millis | None = None
    """When the running refresh began."""

    def refresh_if_due(self) -> None:
        """Refresh if it is due and no other process does. A failure goes to ``tell``. Raises Stopped."""
        now = self.clock()
        if sources.begin_if_due(Source.FEED, period=self.period, now=now):
            with suppress(SourceFailed):
                self._refresh(now, accept_jumps=False)

    def refresh(self, *, accept_jumps: bool) -> ItemCounts:
        """Refresh now. Raises SourceFailed."""
        now = self.clock()
        sources.begin(Source.FEED, period=self.period, now=now)
        return self._refresh(now, accept_jumps=accept_jumps)

    def release(self) -> None:
        """Leave a refresh that was interrupted to the next process."""
        if self.began_at is not None:
            sources.release(Source.FEED, began_at=self.began_at)

    def _refresh(self, began_at: Millis, *, accept_jumps: bool) -> ItemCounts:
        self.began_at = began_at
        try:
            prices = feed_document.read(self._fetch(), pause=self.between)
        except SourceFailed as failure:
            self.between()
            sources.failed(
                Source.FEED, now=self.clock(), longest_pause=min(self.period, sources.LONGEST_PAUSE_MS)
            )
            self.began_at = None
            self.tell(RefreshResult.of_failure(Source.FEED, failure))
            raise
        counts = feed_update.apply(
            prices,
            next_refresh=Millis(began_at + self.period),
            accept_jumps=accept_jumps,
            has_market=self.has_market,
            between=self.between,
        )
        sources.succeeded(Source.FEED, now=self.clock())
        self.began_at = None
        self.tell(RefreshResult(source=Source.FEED, counts=counts))
        return counts

    def _fetch(self) -> bytes:
        response = fetch(
            self.url,
            name="the price feed",
            seconds=TIMEOUT_SECONDS,
            max_bytes=MAX_BYTES,
            redirects=MAX_REDIRECTS,
        )
        if response.status_code != HTTPStatus.OK:
            raise SourceFailed(f"the price feed answered {response.status_code}")
        self.between()
        return response.content
