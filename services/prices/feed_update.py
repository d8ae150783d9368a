"""Applying the prices of a feed document to the items, one slice of items at a time."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import peewee

from models.db.connection import database
from models.items import Item
from services.cases import version
from services.cases.pricing import reprice_cases_holding
from services.prices.results import ItemCounts
from services.prices.rules import Verdict, judge
from services.prices.sources import Source
from services.shared.clock import Millis
from services.shared.lease import Lease
from services.shared.money import Cents

ITEMS_A_SLICE = 60
"""Each slice is one short transaction: on SQLite it blocks all other writers and the event loop."""


def apply(
    prices: Mapping[str, object],
    *,
    next_refresh: Millis,
    accept_jumps: bool,
    has_market: bool,
    lease: Lease,
    between: Callable[[], None],
) -> ItemCounts:
    """Set the prices that are accepted, and the cases' prices with them. Raises LeaseLost.

    Items that are not in the document are due at the next refresh too, unless there is a market.
    ``between`` is called between the slices; it may pause, or raise to stop.
    """
    counts = ItemCounts(unknown=len(prices))
    last_id: int | None = 0
    while last_id is not None:
        with lease.fenced():
            last_id = _update_slice(
                last_id,
                prices,
                counts,
                accept_jumps=accept_jumps,
                next_refresh=next_refresh,
                has_market=has_market,
            )
        between()
    return counts


def _update_slice(
    after_id: int,
    prices: Mapping[str, object],
    counts: ItemCounts,
    *,
    accept_jumps: bool,
    next_refresh: Millis,
    has_market: bool,
) -> int | None:
    """Update the items that follow this id. Returns the last one's id, or None when there is none.

    Needs a transaction.
    """
    # This blocks all other changes of items, so the prices read below are the latest.
    version.begin_change()
    missing, new = [], {}
    item_id = None
    for item_id, name, price_cents, custom_price in _items_after(after_id):
        counts.unknown -= name in prices
        if custom_price:
            counts.custom += 1
        elif name not in prices:
            counts.missing += 1
            missing.append(item_id)
        else:
            verdict = judge(prices[name], standing=price_cents, accept_jumps=accept_jumps)
            counts.count(verdict, name)
            if verdict is Verdict.NEW:
                new[item_id] = prices[name]
    if item_id is None:
        return None
    in_slice = Item.id.between(after_id + 1, item_id) & ~Item.custom_price
    _update(in_slice & Item.id.not_in(missing), in_feed=True, next_price_fetch_ms=next_refresh)
    if missing:
        due = {} if has_market else {"next_price_fetch_ms": next_refresh}
        _update(Item.id.in_(missing), in_feed=False, **due)
    if new:
        new_price = peewee.Case(Item.id, [*new.items()])
        _update(Item.id.in_([*new]), price_cents=new_price, price_source=Source.FEED)
        reprice_cases_holding([*new])
    return item_id


def _items_after(item_id: int) -> Iterable[tuple[int, str, Cents | None, bool]]:
    columns = (Item.id, Item.market_hash_name, Item.price_cents, Item.custom_price)
    query = Item.select(*columns).where(Item.id > item_id).order_by(Item.id).limit(ITEMS_A_SLICE)
    # The driver's own rows: nothing in these columns needs converting.
    rows: Iterable[tuple[int, str, Cents | None, bool]] = database.execute(query)
    return rows


def _update(which: Any, **values: Any) -> None:
    Item.update(**values).where(which).execute()
