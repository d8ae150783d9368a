"""The price feed: one document with the prices of all items, fetched at intervals."""

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from models.database import reading
from models.items import Item
from models.prices import PriceSource
from services.clock import Millis
from services.prices import feed_document, feed_update, sources
from services.prices.errors import BadDocument, SourceFailed, Stopped
from services.prices.feed_source import FeedSource
from services.prices.feed_update import AfterUpdate, BeforeUpdate
from services.prices.results import ItemCounts, Listener, Outcome, RefreshResult
from services.prices.sources import Source, Validators

SHORTEST_PAUSE_MS = 60_000
WAITING_PERIOD_MS = Millis(30_000)
"""The time between two refreshes while an item without a price waits for one."""


@dataclass(kw_only=True)
class Feed:
    """Refreshes prices from the feed every ``period``.

    ``is_only_source`` says that there is no market for the items which the feed does not contain.
    """

    source: FeedSource
    period: Millis
    is_only_source: bool
    clock: Callable[[], Millis]
    before_update: BeforeUpdate
    after_update: AfterUpdate
    tell: Listener
    stop: threading.Event
    _began_at: Millis | None = field(default=None, init=False)
    _refreshing: threading.Lock = field(default_factory=threading.Lock, init=False)

    def refresh_if_due(self, *, is_looked_at: bool = False) -> None:
        """Refresh when that is due and no other process does.

        While items without a price have not been compared with a document, it is due every 30 seconds. When
        a player looks at one of them, a pause after failures does not count. A refresh that this process has
        begun already is waited for. Raises Stopped; a failure of the source only goes to ``tell``.
        """
        with self._refreshing:
            sources.adopt(Source.FEED, address=self.source.url)
            is_awaited = is_looked_at or _has_waiting_items()
            period = min(self.period, WAITING_PERIOD_MS) if is_awaited else self.period
            now = self.clock()
            if sources.claim(Source.FEED, period=period, now=now, respects_pause=not is_looked_at):
                with contextlib.suppress(SourceFailed):
                    self._refresh(now, conditional=True, accept_jumps=False)

    def may_have_price_of(self, items: list[Item]) -> bool:
        """Whether one of these items has not been compared with a document of this feed yet."""
        return not self.has_succeeded() or any(item.in_feed is None for item in items)

    def has_succeeded(self) -> bool:
        """Whether a document of this feed has ever been applied."""
        return sources.state(Source.FEED).succeeded_at_ms is not None

    def refresh(self, *, accept_jumps: bool) -> ItemCounts:
        """Refresh now, with the whole document even if it has not changed. Raises SourceFailed."""
        now = self.clock()
        sources.adopt(Source.FEED, address=self.source.url)
        sources.claim_regardless(Source.FEED, now=now)
        return self._refresh(now, conditional=False, accept_jumps=accept_jumps)

    def next_refresh(self) -> Millis:
        """When the next regular refresh is due."""
        state = sources.state(Source.FEED)
        return Millis(max(state.asked_at_ms + self.period, state.paused_until_ms))

    def give_back(self) -> None:
        """Leave a refresh that ``stop`` has interrupted to the next process."""
        if self._began_at is not None:
            sources.give_back(Source.FEED, began_at=self._began_at)

    def _refresh(self, began_at: Millis, *, conditional: bool, accept_jumps: bool) -> ItemCounts:
        self._began_at = began_at
        try:
            result = self._fetch_and_apply(began_at, conditional=conditional, accept_jumps=accept_jumps)
        except SourceFailed as failure:
            self._fail(failure)
            raise
        self._began_at = None
        self.tell(result)
        return result.counts

    def _fetch_and_apply(self, began_at: Millis, *, conditional: bool, accept_jumps: bool) -> RefreshResult:
        known = _known_document() if conditional else None
        fetched = self.source.fetch(known=known, stop=self.stop)
        self._between()
        next_refresh = Millis(began_at + self.period)
        if fetched is None:
            self._postpone(next_refresh)
            sources.succeeded(Source.FEED, now=self.clock())
            return RefreshResult(source=Source.FEED, outcome=Outcome.NOT_MODIFIED)
        counts, is_complete = feed_update.apply(
            feed_document.read(fetched.body, pause=self._between),
            next_refresh=next_refresh,
            accept_jumps=accept_jumps,
            is_only_source=self.is_only_source,
            before_update=self.before_update,
            after_update=self.after_update,
            between=self._between,
        )
        # Stored last: with the validators of a document that was not applied, it would never be sent again.
        validators = fetched.validators if is_complete else Validators()
        sources.succeeded(
            Source.FEED, now=self.clock(), etag=validators.etag, last_modified=validators.last_modified
        )
        return RefreshResult(source=Source.FEED, outcome=Outcome.APPLIED, counts=counts)

    def _fail(self, failure: SourceFailed) -> None:
        self._between()
        base_pause = Millis(min(self.period, SHORTEST_PAUSE_MS))
        sources.failed(Source.FEED, base_pause=base_pause, now=self.clock())
        self._postpone(self.next_refresh())
        outcome = Outcome.BAD_DOCUMENT if isinstance(failure, BadDocument) else Outcome.UNAVAILABLE
        self.tell(RefreshResult(source=Source.FEED, outcome=outcome, problem=str(failure)))

    def _postpone(self, until: Millis) -> None:
        feed_update.postpone(
            until=until,
            is_only_source=self.is_only_source,
            before_update=self.before_update,
            after_update=self.after_update,
            between=self._between,
        )

    def _between(self) -> None:
        """Let others run between two slices of work. Raises Stopped when the process ends."""
        if self.stop.is_set():
            raise Stopped
        # Not 0: gevent runs sleepers of no time up to 50 times before it looks at the network.
        time.sleep(0.001)


@reading()
def _has_waiting_items() -> bool:
    """Whether there is an item without a price that no document has been compared with."""
    # Read from the index items_waiting_for_feed.
    waits = Item.price_cents.is_null() & Item.in_feed.is_null() & ~Item.custom_price
    return bool(Item.select().where(waits).exists())


@reading()
def _known_document() -> Validators | None:
    """The validators of the last document, when every item was compared with it."""
    state: PriceSource = sources.state(Source.FEED)
    if state.etag is None and state.last_modified is None:
        return None
    if Item.select().where(Item.in_feed.is_null(), ~Item.custom_price).exists():
        return None
    return Validators(state.etag, state.last_modified)
