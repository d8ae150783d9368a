"""The market: one item at a time, at most 20 a minute, for items that the feed does not contain."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import requests

from models.db.connection import reading
from models.items import HeldMarketPrice, Item, MarketSlot
from services.cases import version
from services.cases.contents import reprice_cases_holding
from services.items.prices import sources
from services.items.prices.sources import (
    BadDocument,
    ItemCounts,
    RefreshOutcome,
    RefreshResult,
    Source,
    SourceFailed,
    Verdict,
    judge,
)
from services.shared import decimal_json
from services.shared.clock import MINUTE_MS, Millis
from services.shared.lease import Lease
from services.shared.money import Cents

MAX_BYTES = 64 * 1024
TIMEOUT_SECONDS = 10.0
US_DOLLARS = "1"
PRICE = re.compile(r"\$([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})\.([0-9]{2})", re.ASCII)

RETRY_MS = MINUTE_MS
"""When an item whose request failed is due again. Until then other items are requested."""


@dataclass(frozen=True, kw_only=True)
class Market:
    """Asks for the prices of items, each again after ``period``, while this process has the lease.

    With ``has_feed``, only of items that the feed is known not to contain. ``between`` is called between two
    steps of work, and raises Stopped when the process ends.
    """

    url: str
    period: Millis
    has_feed: bool
    lease: Lease
    clock: Callable[[], Millis]
    between: Callable[[], None]

    def ask_for_one(self, *, among: Collection[int] | None) -> RefreshResult | None:
        """Ask for the item that has been due the longest, if the market may be asked now.

        ``among`` limits this to items with these ids. Returns None if nothing was asked. Raises LeaseLost,
        Stopped.
        """
        if sources.is_paused(Source.MARKET, now=self.clock()):
            return None
        item = self._claim_due(among)
        return None if item is None else self._ask(item, accept_jumps=False)

    def refresh(self, *, accept_jumps: bool) -> Iterator[RefreshResult]:
        """Ask for the items that are due, or with ``accept_jumps`` for those held back, even during a pause.

        At most as many as this minute allows. Raises LeaseLost, Stopped.
        """
        if accept_jumps:
            for item in self._held_back():
                with self.lease.fenced(seconds=TIMEOUT_SECONDS):
                    may_ask = _take_request(now=self.clock())
                if may_ask:
                    yield self._ask(item, accept_jumps=True)
        else:
            while due := self._claim_due(None):
                yield self._ask(due, accept_jumps=False)

    def _claim_due(self, among: Collection[int] | None) -> Item | None:
        """The item that has been due the longest, and one of this minute's requests for it."""
        now = self.clock()
        query = Item.select().where(self._is_asked_for(), self._is_due(now))
        if among is not None:
            query = query.where(Item.id.in_(list(among)))
        with reading():
            item: Item | None = query.order_by(Item.next_price_fetch_ms, Item.id).first()
        if item is None:
            return None
        with self.lease.fenced(seconds=TIMEOUT_SECONDS):
            is_claimed = _take_request(now=now) and _postpone(item, Millis(now + min(RETRY_MS, self.period)))
        return item if is_claimed else None

    def _ask(self, item: Item, *, accept_jumps: bool) -> RefreshResult:
        try:
            stated = _price_at_market(self.url, item)
        except SourceFailed as failure:
            self.between()
            with self.lease.fenced():
                sources.failed(Source.MARKET, error=failure, now=self.clock())
            return RefreshResult(source=Source.MARKET, outcome=failure.outcome, failure=failure)
        self.between()
        with self.lease.fenced():
            counts = self._store(item, stated, accept_jumps=accept_jumps)
        outcome = RefreshOutcome.NO_PRICE if stated is None else RefreshOutcome.APPLIED
        return RefreshResult(source=Source.MARKET, outcome=outcome, counts=counts)

    def _store(self, item: Item, stated: Cents | None, *, accept_jumps: bool) -> ItemCounts:
        """Set the item's price, if it is accepted, and when it is due again. Needs a transaction.

        The price stays if the feed turned out to contain the item, or an import made the price a custom one.
        """
        version.begin_change()
        counts = ItemCounts()
        now = self.clock()
        stored: Any = (
            Item.select(Item.price_cents).where(Item.id == item.id, self._is_asked_for()).get_or_none()
        )
        if stated is None or stored is None:
            counts.missing = 1
        else:
            verdict = judge(stated, current=stored.price_cents, accept_jumps=accept_jumps)
            counts.count(verdict, item.market_hash_name)
            HeldMarketPrice.delete().where(HeldMarketPrice.item == item.id).execute()
            if verdict is Verdict.HELD_BACK:
                HeldMarketPrice.insert(item=item.id, held_at_ms=now).execute()
            elif verdict is Verdict.NEW:
                new = Item.update(price_cents=stated, price_source=Source.MARKET)
                new.where(Item.id == item.id).execute()
                reprice_cases_holding([item.id])
        _postpone(item, Millis(now + self.period))
        sources.succeeded(Source.MARKET, now=now, next_at=now)
        return counts

    def _is_asked_for(self) -> Any:
        return ~Item.custom_price & ~Item.in_feed if self.has_feed else ~Item.custom_price

    def _is_due(self, now: Millis) -> Any:
        # A time further ahead than any that is set here was written before the clock was set back.
        furthest = now + max(self.period, RETRY_MS) + sources.CLOCK_TOLERANCE_MS
        return ~Item.next_price_fetch_ms.between(now + 1, furthest)

    @reading()
    def _held_back(self) -> list[Item]:
        query = Item.select().join(HeldMarketPrice).where(~Item.custom_price)
        return list(query.order_by(HeldMarketPrice.held_at_ms, Item.id))


def _postpone(item: Item, until: Millis) -> bool:
    """Set when the item is due again, unless an import has set it since it was read. Needs a transaction."""
    read = item.next_price_fetch_ms
    item.next_price_fetch_ms = until
    query = Item.update(next_price_fetch_ms=until)
    return bool(query.where(Item.id == item.id, Item.next_price_fetch_ms == read).execute())


def _take_request(*, now: Millis) -> bool:
    """Use one of this minute's 20 requests; False when none is left. Needs a transaction.

    The table has a row for each. So all processes and restarts share them.
    """
    # A time in the future was written before the clock was set back.
    is_free = ~MarketSlot.used_at_ms.between(now - MINUTE_MS + 1, now + MINUTE_MS)
    slot = MarketSlot.select(MarketSlot.slot).where(is_free).limit(1)
    return bool(MarketSlot.update(used_at_ms=now).where(MarketSlot.slot.in_(slot)).execute())


def _price_at_market(url: str, item: Item) -> Cents | None:
    """The lowest price of this item, else its median; None when the market has no price for it.

    Raises SourceFailed, and BadDocument for a response of another shape.
    """
    params = {"appid": str(item.app_id), "currency": US_DOLLARS, "market_hash_name": item.market_hash_name}
    response = sources.fetch(
        url, name="the market", seconds=TIMEOUT_SECONDS, max_bytes=MAX_BYTES, params=params
    )
    answer = _json_object(response)
    # The market's answer for an unknown item, with various statuses.
    if answer is not None and answer.get("success") is False:
        return None
    if response.status_code != HTTPStatus.OK:
        raise SourceFailed(f"the market answered {response.status_code}")
    if answer is None or answer.get("success") is not True:
        raise BadDocument("the market's answer has another shape")
    prices = (read_price(answer.get(key)) for key in ("lowest_price", "median_price"))
    return next((cents for cents in prices if cents is not None), None)


def _json_object(response: requests.Response) -> dict[str, Any] | None:
    try:
        answer = decimal_json.loads(response.content)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def read_price(text: object) -> Cents | None:
    """The cents of a price such as $1,234.56; None for anything else, such as other currencies."""
    match = PRICE.fullmatch(text) if isinstance(text, str) else None
    return Cents(int(match[1].replace(",", "") + match[2])) if match else None
