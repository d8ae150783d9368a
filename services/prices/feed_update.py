"""Bringing a feed's prices to the items, a slice of them at a time."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.database import Sqlite, database, reading, writing
from models.items import Item
from services.clock import Millis
from services.money import Cents
from services.prices.rules import Verdict, judge, rise

ITEMS_A_SLICE = 250
"""Each slice is one short transaction: on SQLite nobody else writes then, and on greenlets nobody runs."""

NAMES_TOLD = 20

BeforeUpdate = Callable[[], None]
"""Begins every transaction that changes items, before it locks one of them."""

AfterUpdate = Callable[[Mapping[int, int]], None]
"""Follows every change of what is shown of items, in its transaction, and must not wait.

It is given the ids of the items whose prices have changed and by how many cents each has risen, where none
counts as 0. It is given nothing when only the times of their next turn have changed.
"""


@dataclass(kw_only=True)
class Applied:
    """What a document did to the items; every item that is not the operator's own counts once."""

    updated: int = 0
    unchanged: int = 0
    held_back: int = 0
    missing: int = 0
    """Items that the document does not hold."""
    custom: int = 0
    """Items that keep a price of the operator's own."""
    unknown: int = 0
    """Prices of no item of ours."""
    held_back_names: list[str] = field(default_factory=list)
    """The first of them."""

    @property
    def items(self) -> int:
        """Items that a source may set a price of."""
        return self.updated + self.unchanged + self.held_back + self.missing

    def count(self, verdict: Verdict, name: str) -> None:
        """One more item that was judged so."""
        if verdict is Verdict.NEW:
            self.updated += 1
        elif verdict is Verdict.SAME:
            self.unchanged += 1
        else:
            self.held_back += 1
            if len(self.held_back_names) < NAMES_TOLD:
                self.held_back_names.append(name)

    def add(self, other: "Applied") -> None:
        """Count what another brought as well."""
        for counted in ("updated", "unchanged", "held_back", "missing", "custom", "unknown"):
            setattr(self, counted, getattr(self, counted) + getattr(other, counted))
        self.held_back_names = (self.held_back_names + other.held_back_names)[:NAMES_TOLD]


class _Row(NamedTuple):
    id: int
    name: str
    price_cents: Cents | None
    custom_price: bool


def apply(
    prices: Mapping[str, object],
    *,
    next_turn: Millis,
    accept_jumps: bool,
    marks_missing: bool,
    before_update: BeforeUpdate,
    after_update: AfterUpdate,
    between: Callable[[], None],
) -> Applied:
    """Give the items the prices that are believed, and every item of the feed the time of its next turn.

    ``marks_missing`` says that items which the document does not hold are next asked for then as well.
    ``between`` is called between the slices; it may pause, or raise to stop.
    """
    applied = Applied()
    known, last_id = 0, 0
    while rows := _slice_after(last_id):
        last_id = rows[-1].id
        known += sum(row.name in prices for row in rows)
        new = _judge(rows, prices, accept_jumps=accept_jumps, applied=applied)
        marked = [row.id for row in rows if not row.custom_price and (marks_missing or row.name in prices)]
        changed = _change(new, marked, next_turn, before_update, after_update) if new or marked else []
        # Somebody else has changed these in between; theirs is newer.
        applied.updated -= len(new) - len(changed)
        applied.unchanged += len(new) - len(changed)
        between()
    applied.unknown = len(prices) - known
    return applied


@writing()
def _change(
    new: Sequence[tuple[int, Any, Cents | None]],
    marked: list[int],
    next_turn: Millis,
    before_update: BeforeUpdate,
    after_update: AfterUpdate,
) -> list[int]:
    """Set these prices and marks in a transaction of their own; the ids of the items whose price is new."""
    before_update()
    changed = _set_prices(new) if new else []
    _mark(marked, next_turn)
    rises = {item_id: rise(stated, standing) for item_id, stated, standing in new}
    after_update({item_id: rises[item_id] for item_id in changed})
    return changed


def move_marks(
    *,
    marker: Millis,
    next_turn: Millis,
    before_update: BeforeUpdate,
    after_update: AfterUpdate,
    between: Callable[[], None],
) -> None:
    """Tell the items of the feed that its next turn is another; their prices stay."""
    last_id = 0
    while ids := _ids_after(last_id):
        with writing():
            before_update()
            Item.update(next_price_fetch_ms=next_turn).where(
                Item.id > last_id, Item.id <= ids[-1], Item.next_price_fetch_ms == marker, ~Item.custom_price
            ).execute()
            after_update({})
        last_id = ids[-1]
        between()


@reading()
def _slice_after(item_id: int) -> list[_Row]:
    columns = (Item.id, Item.market_hash_name, Item.price_cents, Item.custom_price)
    query = Item.select(*columns).where(Item.id > item_id).order_by(Item.id).limit(ITEMS_A_SLICE)
    rows: Iterable[Any] = query.tuples()
    return [_Row(*row) for row in rows]


@reading()
def _ids_after(item_id: int) -> Sequence[int]:
    return list(
        Item.select(Item.id).where(Item.id > item_id).order_by(Item.id).limit(ITEMS_A_SLICE).scalars()
    )


def _judge(
    rows: list[_Row], prices: Mapping[str, object], *, accept_jumps: bool, applied: Applied
) -> list[tuple[int, Any, Cents | None]]:
    """Of each item whose price changes: its id, the new price and the standing one."""
    new = []
    for row in rows:
        if row.custom_price:
            applied.custom += 1
        elif row.name not in prices:
            applied.missing += 1
        else:
            stated = prices[row.name]
            verdict = judge(stated, standing=row.price_cents, accept_jumps=accept_jumps)
            applied.count(verdict, row.name)
            if verdict is Verdict.NEW:
                new.append((row.id, stated, row.price_cents))
    return new


# One statement for all of a slice. An item that another has changed since it was read is left alone.
_SET_ON_SQLITE = """
    UPDATE items SET price_cents = new.price
    FROM (
        SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS price,
            json_extract(value, '$[2]') AS standing
        FROM json_each(?)
    ) AS new
    WHERE items.id = new.id AND NOT items.custom_price AND items.price_cents IS new.standing
    RETURNING items.id
"""
_SET_ON_POSTGRESQL = """
    UPDATE items SET price_cents = new.price
    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS new (id, price, standing)
    WHERE items.id = new.id AND NOT items.custom_price
        AND items.price_cents IS NOT DISTINCT FROM new.standing
    RETURNING items.id
"""


def _set_prices(new: Sequence[tuple[int, Any, Cents | None]]) -> list[int]:
    """Set these prices; the ids of the items that have them now."""
    if isinstance(database.obj, Sqlite):
        cursor = database.execute_sql(_SET_ON_SQLITE, (json.dumps(new),))
    else:
        columns = tuple(list(column) for column in zip(*new, strict=True))
        cursor = database.execute_sql(_SET_ON_POSTGRESQL, columns)
    return [row[0] for row in cursor.fetchall()]


def _mark(ids: list[int], next_turn: Millis) -> None:
    if not ids:
        return
    if isinstance(database.obj, Sqlite):
        among = "id IN (SELECT value FROM json_each(?))"
        values: tuple[Any, ...] = (next_turn, json.dumps(ids))
    else:
        among = "id = ANY(%s)"
        values = (next_turn, ids)
    database.execute_sql(
        f"UPDATE items SET next_price_fetch_ms = {database.param}"  # noqa: S608  # nothing in it is from outside
        f" WHERE {among} AND NOT custom_price",
        values,
    )
