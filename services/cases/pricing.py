"""The prices of cases.

    price = sum(item price * percentage / 100) / 0.95, rounded up to the cent

In whole numbers, with chances in tickets (10**18 is certain): sum(cents * width) / (0.95 * 10**18).
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import peewee
from peewee import fn

from models.cases import Case, CaseItem
from models.db.connection import database
from models.db.sqlite import Sqlite
from models.items import Item
from services.cases.chances import CERTAIN
from services.cases.kinds import GAMES, GameType
from services.shared.background import in_slices
from services.shared.imports import Reprice
from services.shared.money import Cents

HOUSE_EDGE_PERCENT = 5

HOUSE_DIVISOR = (100 - HOUSE_EDGE_PERCENT) * 10**16
"""0.95 of all tickets."""

ITEMS_A_STATEMENT = 500
ROWS_A_SLICE = 200


def price_of(contents: Iterable[tuple[int | None, int]]) -> Cents:
    """The price of a case with items of these prices in cents, and these chances in tickets.

    An item without a price counts as 0.
    """
    value = sum((cents or 0) * width for cents, width in contents)
    return Cents(-(-value // HOUSE_DIVISOR))


class ItemLine(NamedTuple):
    """An item of a case: its name, its price if it has one, and of 10**18 tickets how many win it."""

    name: str
    price_cents: int | None
    chance: int


def return_of(items: Iterable[ItemLine], price_cents: int) -> float | None:
    """What an opening pays on average, for each coin of its price.

    None for a case that costs nothing, and for one with an item without a price, which can't be opened.
    """
    value = 0
    for item in items:
        if item.price_cents is None:
            return None
        value += item.price_cents * item.chance
    return value / (price_cents * CERTAIN) if price_cents else None


def prices_with(new: Mapping[int, int | None]) -> list[Reprice]:
    """The cases whose prices change when the items with these ids get these prices. Changes nothing.

    Other greenlets may run meanwhile.
    """
    found = []
    rows = in_slices(_contents_of_cases_holding(new), ROWS_A_SLICE)
    for case, lines in groupby(rows, key=itemgetter(0, 1)):
        case_id, before = case
        after = price_of((new.get(item, cents), chance) for _, _, item, cents, chance in lines)
        if after != before:
            found.append(Reprice(case_id, before, after))
    return found


def _contents_of_cases_holding(item_ids: Collection[int]) -> Iterable[tuple[str, int, int, int | None, int]]:
    """Id and price of each case, then an item with its price and chance; the rows of a case together."""
    held: set[int] = set()
    query: Any
    for some in peewee.chunked(item_ids, ITEMS_A_STATEMENT):
        query = CaseItem.select(CaseItem.case).where(CaseItem.item.in_(some))
        held |= {case for (case,) in query.tuples()}
    for some in peewee.chunked(sorted(held), ITEMS_A_STATEMENT):
        query = (
            CaseItem.select(Case.slug, Case.price_cents, Item.id, Item.price_cents, CaseItem.ticket_width)
            .join(Case, on=(CaseItem.case == Case.id))
            .join(Item, on=(CaseItem.item == Item.id))
            .where(CaseItem.case.in_(some))
        )
        yield from query.order_by(CaseItem.case, CaseItem.position).tuples()


def reprice_cases_holding(item_ids: Collection[int]) -> None:
    """Set the prices and types of the cases that contain these items from their items.

    Call this in the transaction that changed the items, after the changes. That transaction must have called
    ``version.begin_change`` first, so no item and no case changes in between.
    """
    for some in peewee.chunked(item_ids, ITEMS_A_STATEMENT):
        _reprice(some)


def _reprice(item_ids: Collection[int]) -> None:
    holding = CaseItem.alias()
    first, last = fn.MIN(Item.app_id), fn.MAX(Item.app_id)
    games = [(first == app_id, str(game)) for app_id, game in GAMES.items()]
    new = (
        CaseItem.select(
            CaseItem.case.alias("id"),
            _price().alias("price"),
            peewee.Case(None, [(first != last, str(GameType.MIXED)), *games]).alias("type"),
        )
        .join(Item, on=CaseItem.item == Item.id)
        .where(CaseItem.case.in_(holding.select(holding.case).where(holding.item.in_(item_ids))))
        .group_by(CaseItem.case)
        .alias("new")
    )
    is_other = (Case.price_cents != new.c.price) | (Case.type != new.c.type)
    query = Case.update(price_cents=new.c.price, type=new.c.type).from_(new)
    query.where(Case.id == new.c.id, is_other).execute()


def _price() -> Any:
    """``price_of`` in SQL, for a group of a case's items. The sum may need 97 bits."""
    if isinstance(database.obj, Sqlite):
        # Registered each time, because a pooled connection may be older than the first registration.
        database.register_aggregate(_SqlitePrice, "case_price", 2)
        return fn.case_price(Item.price_cents, CaseItem.ticket_width)
    value = fn.SUM(fn.COALESCE(Item.price_cents, 0).cast("NUMERIC") * CaseItem.ticket_width)
    return fn.DIV(value + (HOUSE_DIVISOR - 1), HOUSE_DIVISOR)


class _SqlitePrice:
    """An aggregate function with Python's integers: SQLite's own have 64 bits."""

    def __init__(self) -> None:
        self._contents: list[tuple[int | None, int]] = []

    def step(self, cents: int | None, width: int) -> None:
        self._contents.append((cents, width))

    def finalize(self) -> int:
        return price_of(self._contents)
