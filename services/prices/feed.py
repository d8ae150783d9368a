"""The price feed: one document for all items, in turns."""

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from peewee import Case, fn

from models.database import reading
from models.items import Item
from models.prices import PriceSource
from services.clock import Millis
from services.prices import feed_document, feed_update, sources
from services.prices.errors import BadDocument, SourceFailed, Stopped
from services.prices.feed_source import FeedSource, Fetched
from services.prices.feed_update import AfterUpdate, Applied, BeforeUpdate
from services.prices.sources import Source, Validators
from services.prices.turns import Outcome, Tell, Turn

SHORTEST_PAUSE_MS = 60_000


@dataclass(kw_only=True)
class Feed:
    """Takes the feed's turns. ``period`` is the time from one to the next.

    ``holds_all`` says that there is no market for the items which it does not hold.
    """

    source: FeedSource
    period: Millis
    holds_all: bool
    clock: Callable[[], Millis]
    before_update: BeforeUpdate
    after_update: AfterUpdate
    tell: Tell
    stop: threading.Event
    _began_at: Millis | None = field(default=None, init=False)
    _turning: threading.Lock = field(default_factory=threading.Lock, init=False)

    def turn_if_due(self, *, period: Millis | None = None) -> None:
        """Take a turn when one is due, unless another process has taken it.

        One that this process is taking already is waited for. Raises Stopped; a source that failed is told
        of and no error.
        """
        with self._turning:
            now = self.clock()
            sources.adopt(Source.FEED, address=self.source.url)
            if sources.claim(Source.FEED, period=period or self.period, now=now):
                with contextlib.suppress(SourceFailed):
                    self._turn(now, conditional=True, accept_jumps=False)

    def may_hold_one_of(self, item_ids: list[int]) -> bool:
        """Whether a turn may bring one of these items a price.

        With a market, those that the last document did not hold are due whenever the market can't be asked;
        the feed has no more to say of them before its next turn.
        """
        state = sources.state(Source.FEED)
        return self.holds_all or state.succeeded_at_ms is None or max(item_ids) > state.last_item_id

    def refresh(self, *, accept_jumps: bool) -> Applied:
        """Take a turn now, with the whole document whatever is known of it. Raises SourceFailed."""
        now = self.clock()
        sources.adopt(Source.FEED, address=self.source.url)
        sources.claim_regardless(Source.FEED, now=now)
        return self._turn(now, conditional=False, accept_jumps=accept_jumps)

    def next_turn(self) -> Millis:
        """When the next turn is due."""
        return _next_turn(sources.state(Source.FEED), self.period)

    def give_back(self) -> None:
        """Leave a turn that ``stop`` has cut short to the next process."""
        if self._began_at is not None:
            sources.give_back(Source.FEED, began_at=self._began_at)

    def _turn(self, began_at: Millis, *, conditional: bool, accept_jumps: bool) -> Applied:
        self._began_at = began_at
        try:
            turn = self._take(began_at, conditional=conditional, accept_jumps=accept_jumps)
        except SourceFailed as failure:
            self._fail(failure)
            raise
        self._began_at = None
        self.tell(turn)
        return turn.applied

    def _take(self, began_at: Millis, *, conditional: bool, accept_jumps: bool) -> Turn:
        before = sources.state(Source.FEED)
        known = self._known(before) if conditional else None
        fetched = self.source.fetch(known=known, stop=self.stop)
        self._between()
        next_turn = Millis(began_at + self.period)
        if fetched is None:
            self._move_marks(before, next_turn)
            sources.succeeded(Source.FEED, now=self.clock(), marker_ms=next_turn)
            return Turn(source=Source.FEED, outcome=Outcome.NOT_MODIFIED)
        applied = self._apply(fetched, next_turn, accept_jumps=accept_jumps)
        return Turn(source=Source.FEED, outcome=Outcome.APPLIED, applied=applied)

    def _apply(self, fetched: Fetched, next_turn: Millis, *, accept_jumps: bool) -> Applied:
        prices = feed_document.read(fetched.body, pause=self._between)
        applied = feed_update.apply(
            prices,
            next_turn=next_turn,
            accept_jumps=accept_jumps,
            marks_missing=self.holds_all,
            before_update=self.before_update,
            after_update=self.after_update,
            between=self._between,
        )
        # Only now: a validator of a document that was not applied would keep it away for good.
        sources.succeeded(
            Source.FEED,
            now=self.clock(),
            etag=fetched.validators.etag,
            last_modified=fetched.validators.last_modified,
            marker_ms=next_turn,
            inventory=self._inventory_left(next_turn, applied),
            last_item_id=_last_item_id(),
        )
        return applied

    def _fail(self, failure: SourceFailed) -> None:
        self._between()
        base_pause = Millis(min(self.period, SHORTEST_PAUSE_MS))
        sources.failed(Source.FEED, base_pause=base_pause, now=self.clock())
        state = sources.state(Source.FEED)
        next_turn = _next_turn(state, self.period)
        if state.marker_ms is not None:
            self._move_marks(state, next_turn)
            sources.marked(next_turn)
        outcome = Outcome.BAD_DOCUMENT if isinstance(failure, BadDocument) else Outcome.UNAVAILABLE
        self.tell(Turn(source=Source.FEED, outcome=outcome, problem=str(failure)))

    def _known(self, state: PriceSource) -> Validators | None:
        """What to ask conditionally with: only while the items are as the last document left them."""
        if state.inventory is None or state.inventory != self._inventory(_marker(state)):
            return None
        if state.etag is None and state.last_modified is None:
            return None
        return Validators(state.etag, state.last_modified)

    def _inventory_left(self, marker: Millis, applied: Applied) -> str | None:
        """The inventory after a document; None when others changed items meanwhile, maybe too late for it."""
        held = applied.items if self.holds_all else applied.items - applied.missing
        inventory = self._inventory(marker)
        return inventory if inventory.startswith(f"{self.holds_all}:{applied.items}:{held}:") else None

    @reading()
    def _inventory(self, marker: Millis | None) -> str:
        """A text that changes when items or prices are changed by anybody but the feed."""
        is_held = Item.next_price_fetch_ms == marker
        held = fn.SUM(Case(None, [(is_held, 1)], 0))
        worth = fn.SUM(Case(None, [(is_held, Item.price_cents)], 0))
        query: Any = Item.select(fn.COUNT(Item.id), held, worth).where(~Item.custom_price).tuples()
        counts = query.get()
        return f"{self.holds_all}:" + ":".join(str(int(count or 0)) for count in counts)

    def _move_marks(self, state: PriceSource, next_turn: Millis) -> None:
        marker = _marker(state)
        if marker is not None:
            feed_update.move_marks(
                marker=marker,
                next_turn=next_turn,
                before_update=self.before_update,
                after_update=self.after_update,
                between=self._between,
            )

    def _between(self) -> None:
        """Let others run in the middle of long work, and end it when the process does."""
        if self.stop.is_set():
            raise Stopped
        # Not 0: gevent goes on with whoever sleeps for no time up to 50 times before it looks at the network.
        time.sleep(0.001)


def _next_turn(state: PriceSource, period: Millis) -> Millis:
    return Millis(max(state.asked_at_ms + period, state.paused_until_ms))


def _marker(state: PriceSource) -> Millis | None:
    return None if state.marker_ms is None else Millis(state.marker_ms)


@reading()
def _last_item_id() -> int:
    return int(Item.select(fn.MAX(Item.id)).scalar() or 0)
