"""Prices that somebody is waiting for: items without one, refreshed while a request waits a moment."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from models.database import reading
from models.items import Item
from services.clock import Millis

PATIENCE_SECONDS = 3.0
"""How long a request waits. The ask goes on without it, and the next request finds the price."""

Spawn = Callable[[Callable[[], None]], None]
"""Runs something beside the requests."""


class MissingPrices:
    """Asks for items that have no price, once for each however many requests want it.

    ``ask`` is given ids and returns when all of them have been asked for, or can't be now; ``is_asked_for``
    says whether somebody else in this process is asking for an item, which is then waited for.
    """

    def __init__(
        self,
        *,
        ask: Callable[[list[int]], None],
        is_asked_for: Callable[[int], bool],
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._ask = ask
        self._is_asked_for = is_asked_for
        self._patience_seconds = patience_seconds
        self._asking: dict[int, threading.Event] = {}
        self._guard = threading.Lock()

    def refresh(self, items: Sequence[Item], *, now: Millis, spawn: Spawn) -> None:
        """Have those of the items asked for that lack a price and are due, and fill in what came in time."""
        missing = [item for item in items if item.price_cents is None and not item.custom_price]
        wanted = [
            item.id
            for item in missing
            if item.next_price_fetch_ms <= now or self._is_asked_for(item.id) or item.id in self._asking
        ]
        if not missing:
            return
        deadline = time.monotonic() + self._patience_seconds
        for asked in self._begin(wanted, spawn):
            asked.wait(max(deadline - time.monotonic(), 0))
        _fill_in(missing)

    def _begin(self, item_ids: Collection[int], spawn: Spawn) -> set[threading.Event]:
        """What to wait for: the asks that are under way already, and one for the other items."""
        with self._guard:
            asked = {self._asking[item_id] for item_id in item_ids if item_id in self._asking}
            others = [item_id for item_id in item_ids if item_id not in self._asking]
            ours = threading.Event()
            self._asking |= dict.fromkeys(others, ours)
        if others:
            asked.add(ours)
            try:
                spawn(lambda: self._run(others, ours))
            except BaseException:
                self._end(others, ours)
                raise
        return asked

    def _run(self, item_ids: list[int], asked: threading.Event) -> None:
        try:
            self._ask(item_ids)
        finally:
            self._end(item_ids, asked)

    def _end(self, item_ids: list[int], asked: threading.Event) -> None:
        with self._guard:
            for item_id in item_ids:
                del self._asking[item_id]
        asked.set()


def _fill_in(items: Sequence[Item]) -> None:
    with reading():
        columns = (Item.id, Item.price_cents, Item.next_price_fetch_ms)
        query = Item.select(*columns).where(Item.id.in_([item.id for item in items]))
        rows: Iterable[Any] = query.tuples()
        found = {row[0]: row[1:] for row in rows}
    for item in items:
        if item.id in found:
            item.price_cents, item.next_price_fetch_ms = found[item.id]
