"""Applying the prices of a feed document to the items, one slice of items at a time."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from models.database import Sqlite, database, reading, writing
from models.items import Item
from services.clock import Millis
from services.money import Cents
from services.prices.results import ItemCounts
from services.prices.rules import Verdict, judge
from services.prices.sources import Source

ITEMS_A_SLICE = 60
"""Each slice is one short transaction: on SQLite it blocks all other writers and the event loop."""

BeforeUpdate = Callable[[], None]
"""Begins every transaction that changes items, before it locks one of them."""

AfterUpdate = Callable[[Collection[int]], None]
"""Ends every transaction that changes items, and must not wait.

It gets the ids of the items whose prices changed; none when only the times of the next refresh did.
"""


class _StoredItem(NamedTuple):
    id: int
    name: str
    price_cents: Cents | None
    price_source: str | None
    custom_price: bool
    in_feed: bool | None


class _Change(NamedTuple):
    """The new values of an item, and the price that it must still have. Without a time, its time stays."""

    id: int
    price_cents: Cents | None
    price_source: str | None
    in_feed: bool
    next_fetch_ms: Millis | None
    stored_cents: Cents | None


def apply(
    prices: Mapping[str, object],
    *,
    next_refresh: Millis,
    accept_jumps: bool,
    is_only_source: bool,
    before_update: BeforeUpdate,
    after_update: AfterUpdate,
    between: Callable[[], None],
) -> tuple[ItemCounts, bool]:
    """Set the prices that are accepted; the counts, and whether every item was compared with the document.

    An item whose price somebody else changes at the same moment is left alone, and was not compared. With
    ``is_only_source`` the items that the document does not contain are also due at the next refresh.
    ``between`` is called between the slices; it may pause, or raise to stop.
    """
    counts = ItemCounts()
    known, last_id, is_complete = 0, 0, True
    while rows := _slice_after(last_id):
        last_id = rows[-1].id
        known += sum(row.name in prices for row in rows)
        changes = []
        for row in rows:
            verdict = _verdict(row, prices, accept_jumps=accept_jumps, counts=counts)
            if row.custom_price or (verdict is None and row.in_feed is False and not is_only_source):
                continue
            due = next_refresh if verdict or is_only_source else None
            changes.append(_change(row, verdict, prices.get(row.name), due))
        if changes:
            written = _write(changes, before_update, after_update)
            # Somebody else's price is newer than the one that was read.
            lost = [c for c in changes if c.id not in written and c.price_cents != c.stored_cents]
            counts.updated -= len(lost)
            counts.unchanged += len(lost)
            is_complete = is_complete and len(written) == len(changes)
        between()
    counts.unknown = len(prices) - known
    return counts, is_complete


def postpone(
    *,
    until: Millis,
    is_only_source: bool,
    before_update: BeforeUpdate,
    after_update: AfterUpdate,
    between: Callable[[], None],
) -> None:
    """Set the time of the next refresh of the feed's items, whose prices stay."""
    last_id = 0
    due = ~Item.custom_price & (Item.in_feed.is_null(is_null=False) if is_only_source else Item.in_feed)
    while rows := _slice_after(last_id):
        with writing():
            before_update()
            in_slice = Item.id.between(last_id + 1, rows[-1].id)
            Item.update(next_price_fetch_ms=until).where(in_slice, due).execute()
            after_update([])
        last_id = rows[-1].id
        between()


@reading()
def _slice_after(item_id: int) -> list[_StoredItem]:
    columns = (
        Item.id,
        Item.market_hash_name,
        Item.price_cents,
        Item.price_source,
        Item.custom_price,
        Item.in_feed,
    )
    query = Item.select(*columns).where(Item.id > item_id).order_by(Item.id).limit(ITEMS_A_SLICE)
    rows: Iterable[Any] = query.tuples()
    return [_StoredItem(*row) for row in rows]


def _verdict(
    row: _StoredItem, prices: Mapping[str, object], *, accept_jumps: bool, counts: ItemCounts
) -> Verdict | None:
    """What becomes of the item's price, counted; None when the document says nothing about it."""
    if row.custom_price:
        counts.custom += 1
        return None
    if row.name not in prices:
        counts.missing += 1
        return None
    verdict = judge(prices[row.name], standing=row.price_cents, accept_jumps=accept_jumps)
    counts.count(verdict, row.name)
    return verdict


def _change(row: _StoredItem, verdict: Verdict | None, stated: Any, due: Millis | None) -> _Change:
    price, source = row.price_cents, row.price_source
    if verdict in (Verdict.NEW, Verdict.SAME):
        price, source = stated, Source.FEED.value
    return _Change(row.id, price, source, verdict is not None, due, row.price_cents)


@writing()
def _write(changes: list[_Change], before_update: BeforeUpdate, after_update: AfterUpdate) -> set[int]:
    """Write these changes in a transaction of their own; the ids of the items that still had their price."""
    before_update()
    if isinstance(database.obj, Sqlite):
        cursor = database.execute_sql(_WRITE_ON_SQLITE, (json.dumps(changes),))
    else:
        columns = tuple(list(column) for column in zip(*changes, strict=True))
        cursor = database.execute_sql(_WRITE_ON_POSTGRESQL, columns)
    written = {row[0] for row in cursor.fetchall()}
    new = [c for c in changes if c.id in written and c.price_cents != c.stored_cents]
    after_update([c.id for c in new])
    return written


# One statement for a whole slice.
_WRITE = """
    UPDATE items SET price_cents = new.price, price_source = new.source, in_feed = new.in_feed,
        next_price_fetch_ms = COALESCE(new.next_fetch, items.next_price_fetch_ms)
    FROM {new}
    WHERE items.id = new.id AND NOT items.custom_price
        AND items.price_cents {is_same_as} new.stored
    RETURNING items.id
"""
_COLUMNS = ("id", "price", "source", "in_feed", "next_fetch", "stored")
_OF_JSON = ", ".join(f"value ->> {place} AS {name}" for place, name in enumerate(_COLUMNS))
_WRITE_ON_SQLITE = _WRITE.format(
    new=f"(SELECT {_OF_JSON} FROM json_each(?)) AS new",  # noqa: S608  # nothing in it is from outside
    is_same_as="IS",
)
_WRITE_ON_POSTGRESQL = _WRITE.format(
    new="unnest(%s::bigint[], %s::bigint[], %s::text[], %s::boolean[], %s::bigint[], %s::bigint[])"
    f" AS new ({', '.join(_COLUMNS)})",
    is_same_as="IS NOT DISTINCT FROM",
)
