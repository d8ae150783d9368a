"""Prices on demand: items without a price are refreshed while a request waits up to three seconds."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from models.database import reading
from models.items import Item
from services.prices.errors import Stopped
from services.prices.feed import Feed
from services.prices.market import Market

WAIT_SECONDS = 3.0
"""How long a request waits. The refresh goes on without it, and the next request finds the price."""

FEED = 0
"""Stands for the feed among the ids of items, which begin at 1."""

Spawn = Callable[[Callable[[], None]], None]
"""Runs a function in the background."""


class OnDemandPrices:
    """Refreshes items without a price, each once at a time however many requests want it.

    The feed comes first, for items that have not been compared with it. The market is asked for the others.
    """

    def __init__(
        self, *, feed: Feed | None, market: Market | None, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self._feed = feed
        self._market = market
        self._wait_seconds = wait_seconds
        self._running: dict[int, threading.Event] = {}
        self._guard = threading.Lock()

    def refresh(self, items: Sequence[Item], *, spawn: Spawn) -> None:
        """Refresh those of the items that lack a price, and fill in the prices that come in time."""
        missing = [item for item in items if item.price_cents is None and not item.custom_price]
        deadline = time.monotonic() + self._wait_seconds
        if missing and (feed := self._feed) and feed.may_have_price_of(missing):
            self._run([FEED], lambda _: feed.refresh_if_due(is_looked_at=True), spawn, deadline)
            missing = _filled_in(missing)
        if missing and (market := self._market):
            item_ids = [item.id for item in missing]
            wanted = {*market.due_or_asked_for(item_ids), *(i for i in item_ids if i in self._running)}
            self._run(wanted, market.ask_for, spawn, deadline)
            _filled_in(missing)

    def _run(
        self, keys: Collection[int], task: Callable[[list[int]], None], spawn: Spawn, deadline: float
    ) -> None:
        """Run the task for the keys that no other task is running for, and wait for all of them."""
        ended = threading.Event()
        with self._guard:
            waits = {self._running[key] for key in keys if key in self._running}
            new = [key for key in keys if key not in self._running]
            self._running |= dict.fromkeys(new, ended)
        if new:
            waits.add(ended)
            try:
                spawn(lambda: self._run_now(new, task, ended))
            except BaseException:
                self._end(new, ended)
                raise
        for event in waits:
            event.wait(max(deadline - time.monotonic(), 0))

    def _run_now(self, keys: list[int], task: Callable[[list[int]], None], ended: threading.Event) -> None:
        try:
            task(keys)
        except Stopped:
            return
        finally:
            self._end(keys, ended)

    def _end(self, keys: list[int], ended: threading.Event) -> None:
        with self._guard:
            for key in keys:
                del self._running[key]
        ended.set()


def _filled_in(items: Sequence[Item]) -> list[Item]:
    """Read the prices of these items again; those that still have none."""
    with reading():
        columns = (Item.id, Item.price_cents, Item.next_price_fetch_ms, Item.in_feed)
        query = Item.select(*columns).where(Item.id.in_([item.id for item in items]))
        rows: Iterable[Any] = query.tuples()
        found = {row[0]: row[1:] for row in rows}
    for item in items:
        if item.id in found:
            item.price_cents, item.next_price_fetch_ms, item.in_feed = found[item.id]
    return [item for item in items if item.price_cents is None]
