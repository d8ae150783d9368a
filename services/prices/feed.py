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
from services.shared.lease import Lease

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 60.0
MAX_REDIRECTS = 3


@dataclass(frozen=True, kw_only=True)
class Feed:
    """Refreshes prices from the feed every ``period``, while this process has the lease.

    ``has_market``: whether a market has prices for the items that the feed does not contain. ``tell`` gets
    every result. ``between`` is called between two steps of work and raises Stopped when the process ends.
    """

    url: str
    period: Millis
    has_market: bool
    lease: Lease
    clock: Callable[[], Millis]
    tell: Listener
    between: Callable[[], None]

    def refresh_if_due(self) -> None:
        """Refresh if it is due. A failure goes to ``tell``. Raises LeaseLost, Stopped."""
        if sources.is_due(Source.FEED, period=self.period, now=self.clock()):
            with suppress(SourceFailed):
                self.refresh(accept_jumps=False)

    def refresh(self, *, accept_jumps: bool) -> ItemCounts:
        """Refresh now. Raises LeaseLost, SourceFailed."""
        began_at = self.clock()
        with self.lease.fenced(seconds=TIMEOUT_SECONDS):
            sources.begin(Source.FEED, now=began_at)
        try:
            prices = feed_document.read(self._fetch(), pause=self.between)
        except SourceFailed as failure:
            self.between()
            pause = min(self.period, sources.LONGEST_PAUSE_MS)
            with self.lease.fenced():
                sources.failed(Source.FEED, now=self.clock(), longest_pause=pause)
            self.tell(RefreshResult.of_failure(Source.FEED, failure))
            raise
        next_refresh = Millis(began_at + self.period)
        counts = feed_update.apply(
            prices,
            next_refresh=next_refresh,
            accept_jumps=accept_jumps,
            has_market=self.has_market,
            lease=self.lease,
            between=self.between,
        )
        with self.lease.fenced():
            sources.succeeded(Source.FEED, now=self.clock(), next_at=next_refresh)
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
