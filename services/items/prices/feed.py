"""The price feed: one document with the prices of all items, fetched at intervals."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from typing import Any, NoReturn, cast

from models.db.sql import execute
from services.cases import version
from services.cases.contents import RunningPrices
from services.items.prices import sources
from services.items.prices.sources import (
    BadDocument,
    ItemCounts,
    RefreshResult,
    Source,
    SourceFailed,
    Verdict,
    judge,
)
from services.shared.clock import Millis
from services.shared.lease import Lease
from services.shared.money import Cents

CURRENCY = "USD"
"""The currency of all prices. A feed in another one is refused."""

MAX_VALUES = 2_000_000
"""The most in a document. 64 MB can hold more than 20 million values, which would fill the memory."""

NOT_AN_OBJECT = "the price feed is not a JSON object, or was cut off"

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 60.0
MAX_REDIRECTS = 3

ITEMS_A_SLICE = 200
"""Each slice is one short transaction: on SQLite it blocks all other writers and the event loop."""


def read_document(body: bytes) -> Mapping[str, object]:
    """The prices of a feed's response, by name. The price of a name that occurs twice is None.

    This takes 15 ms for 34,500 prices, and a second for a million. Raises BadDocument.
    """
    # Before each value is one of these. Names may contain them too, so this may count too many.
    if sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise BadDocument(f"the price feed has more than {MAX_VALUES} values")
    try:
        document = _decode(body.decode())
    except (ValueError, InvalidOperation, RecursionError):
        raise BadDocument(NOT_AN_OBJECT) from None
    return prices_of(document)


def prices_of(document: object) -> Mapping[str, object]:
    """The prices of ``{"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}``, by name.

    The prices are not checked. Raises BadDocument.
    """
    if not isinstance(document, dict):
        raise BadDocument(NOT_AN_OBJECT)
    metadata, prices = document.get("metadata"), document.get("prices")
    if not isinstance(metadata, dict) or not isinstance(prices, dict):
        raise BadDocument("the price feed lacks the objects metadata and prices")
    if metadata.get("currency") != CURRENCY:
        raise BadDocument(f"the currency of the price feed is not {CURRENCY}")
    return prices


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        # No price rather than an arbitrary one of the two.
        times = Counter(name for name, _ in pairs)
        found |= {name: None for name, count in times.items() if count > 1}
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_decode = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_object).decode


@dataclass(frozen=True, kw_only=True)
class Feed:
    """Refreshes prices from the feed every ``period``, while this process has the lease.

    ``has_market``: whether a market has prices for the items that the feed does not contain. ``between`` is
    called between two steps of work and raises Stopped when the process ends.
    """

    url: str
    period: Millis
    has_market: bool
    lease: Lease
    clock: Callable[[], Millis]
    between: Callable[[], None]

    def refresh_if_due(self) -> RefreshResult | None:
        """Refresh if it is due, and accept jumps if staff asked for that. Raises LeaseLost, Stopped."""
        if not sources.is_due(Source.FEED, period=self.period, now=self.clock()):
            return None
        asked_at = sources.state(Source.FEED).jumps_accepted_at_ms
        result = self.refresh(accept_jumps=asked_at is not None)
        if asked_at is not None and result.failure is None:
            with self.lease.fenced():
                sources.jumps_were_accepted(asked_at=asked_at)
        return result

    def refresh(self, *, accept_jumps: bool) -> RefreshResult:
        """Refresh now. Raises LeaseLost, Stopped."""
        began_at = self.clock()
        with self.lease.fenced(seconds=TIMEOUT_SECONDS):
            sources.begin(Source.FEED, now=began_at)
        try:
            prices = read_document(self._fetch())
        except SourceFailed as failure:
            self.between()
            pause = min(self.period, sources.LONGEST_PAUSE_MS)
            with self.lease.fenced():
                sources.failed(Source.FEED, error=failure, now=self.clock(), longest_pause=pause)
            return RefreshResult(source=Source.FEED, outcome=failure.outcome, failure=failure)
        next_refresh = Millis(began_at + self.period)
        counts = self._apply(prices, next_refresh=next_refresh, accept_jumps=accept_jumps)
        with self.lease.fenced():
            sources.succeeded(Source.FEED, now=self.clock(), next_at=next_refresh)
        return RefreshResult(source=Source.FEED, counts=counts)

    def _fetch(self) -> bytes:
        response = sources.fetch(
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

    def _apply(self, prices: Mapping[str, object], *, next_refresh: Millis, accept_jumps: bool) -> ItemCounts:
        """Set the prices that are accepted, a slice of the items at a time. Raises LeaseLost, Stopped."""
        counts = ItemCounts(unknown=len(prices))
        of_cases = RunningPrices()
        of_cases.read()
        last_id: int | None = 0
        while last_id is not None:
            with self.lease.fenced():
                last_id = self._update_slice(
                    last_id, prices, counts, of_cases, next_refresh=next_refresh, accept_jumps=accept_jumps
                )
            self.between()
        return counts

    def _update_slice(
        self,
        after_id: int,
        prices: Mapping[str, object],
        counts: ItemCounts,
        of_cases: RunningPrices,
        *,
        next_refresh: Millis,
        accept_jumps: bool,
    ) -> int | None:
        """Update the items that follow this id, and the prices of their cases. Needs a transaction.

        Returns the last item's id, or None when there is none. Items that are not in the document are due at
        the next refresh too, unless there is a market.
        """
        # This blocks all other changes of items, so the prices read below are the latest.
        version_now = version.begin_change()
        missing: list[int] = []
        found: dict[int, object] = {}
        differences: dict[int, int] = {}
        item_id = None
        for item_id, name, price_cents, custom_price in _items_after(after_id):
            counts.unknown -= name in prices
            if custom_price:
                counts.custom += 1
            elif name not in prices:
                counts.missing += 1
                missing.append(item_id)
            else:
                verdict = judge(prices[name], current=price_cents, accept_jumps=accept_jumps)
                counts.count(verdict, name)
                found[item_id] = None
                if verdict is Verdict.NEW:
                    found[item_id] = new = cast("Cents", prices[name])
                    differences[item_id] = new - (price_cents or 0)
        if item_id is None:
            return None
        if found:
            execute(UPDATE_FOUND, {"found": json.dumps(found), "next": next_refresh})
        if missing:
            due = None if self.has_market else next_refresh
            execute(UPDATE_MISSING, {"missing": json.dumps(missing), "next": due})
        of_cases.follow(differences, version_now=version_now)
        return item_id


ITEMS_AFTER = """
SELECT id, market_hash_name, price_cents, custom_price FROM items WHERE id > :id ORDER BY id LIMIT :limit
"""

# A found item without a new price keeps its own.
UPDATE_FOUND = """
UPDATE items SET in_feed = TRUE, next_price_fetch_ms = :next,
    price_cents = COALESCE(CAST(found.value AS BIGINT), price_cents),
    price_source = CASE WHEN found.value IS NULL THEN price_source ELSE 'feed' END
FROM {pairs}(:found) AS found WHERE items.id = CAST(found.key AS BIGINT)
"""

UPDATE_MISSING = """
UPDATE items SET in_feed = FALSE, next_price_fetch_ms = COALESCE(:next, next_price_fetch_ms)
WHERE id IN (SELECT CAST(value AS BIGINT) FROM {rows}(:missing) AS these)
"""


def _items_after(item_id: int) -> Iterable[tuple[int, str, Cents | None, bool]]:
    rows: Iterable[tuple[int, str, Cents | None, bool]]
    rows = execute(ITEMS_AFTER, {"id": item_id, "limit": ITEMS_A_SLICE})
    return rows
