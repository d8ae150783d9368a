"""What a case holds: its items with their chances, and the price that follows from them.

Chances are exact integers: percentages outside, the width in tickets inside. The price of a case is

    sum(item price * percentage / 100) / 0.95, rounded up to the cent

In whole numbers, with chances in tickets (10**18 is certain): sum(cents * width) / (0.95 * 10**18).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, NewType

import peewee
from peewee import fn

from models.cases import Case, CaseItem
from models.db.connection import database
from models.db.sqlite import Sqlite
from models.items import Item
from services.cases.kinds import GAMES, GameType, game_type
from services.shared.background import in_slices
from services.shared.errors import Refusal
from services.shared.imports import Reprice
from services.shared.money import Cents

Width = NewType("Width", int)
"""How many of 10**18 tickets win an item, which fits a 64-bit column. One percent is 10**16."""

CERTAIN = Width(10**18)
PERCENT = 10**16

_MAX_PERCENT = 100
_DECIMALS = 16
_EXACT = Context(prec=28, traps=[Inexact, InvalidOperation])

HOUSE_EDGE_PERCENT = 5

HOUSE_DIVISOR = (100 - HOUSE_EDGE_PERCENT) * 10**16
"""0.95 of all tickets."""

ITEMS_A_STATEMENT = 500
ROWS_A_SLICE = 200

MAX_ITEM_NAME = 200

ChancesByName = Mapping[str, Width]
"""The chance of each item by its name, in the order of the case."""


def width_from_percent(value: object) -> Width:
    """The exact chance of a JSON percentage, an int or a Decimal. Never rounds.

    Raises Refusal for no number from 0 to 100, and for more than 16 decimals.
    """
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    number = Decimal(value) if is_number else Decimal("NaN")  # type: ignore[arg-type]  # checked above
    if not number.is_finite() or not 0 <= number <= _MAX_PERCENT:
        raise Refusal("Each item must have a percentage that is a number from 0 to 100")
    try:
        return Width(int(number.quantize(Decimal(1).scaleb(-_DECIMALS), context=_EXACT).scaleb(_DECIMALS)))
    except (Inexact, InvalidOperation):
        raise Refusal("A percentage can have at most 16 decimals") from None


def percent_from_width(chance: int) -> int | float:
    """The JSON percentage of a chance: 33.3, or 33 when it is whole.

    The nearest double to the exact percentage, which JSON readers would round to anyway.
    """
    return chance // PERCENT if chance % PERCENT == 0 else chance / PERCENT


def exact_percent(chance: int) -> str:
    """The exact percentage of a chance as a decimal number, also of one above 100 %."""
    whole, rest = divmod(chance, PERCENT)
    return f"{whole}.{rest:0{_DECIMALS}}".rstrip("0").rstrip(".")


def difference_to_certain(chance: int) -> str:
    """What a sum of chances lacks, or has too much, in words."""
    left = CERTAIN - chance
    return f"{exact_percent(abs(left))} {'is missing' if left > 0 else 'too much'}"


def share_equally(left: Width, count: int) -> Sequence[Width]:
    """Split a chance into equal parts; the remainder goes to the first ones, one ticket each."""
    each, over = divmod(left, count)
    return [Width(each + (place < over)) for place in range(count)]


def wanted_items(items: Iterable[object]) -> ChancesByName:
    """Check a list of ``{marketHashName, percentage}``, but not whether the items exist.

    Raises Refusal.
    """
    pairs = [_name_and_chance(item) for item in items]
    total = sum(chance for _, chance in pairs)
    if total != CERTAIN:
        sum_, difference = exact_percent(total), difference_to_certain(total)
        raise Refusal(f"The percentages must sum to exactly 100: they sum to {sum_}, {difference}")
    wanted = dict(pairs)
    if len(wanted) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise Refusal(f"An item can be in a case only once: {times.most_common(1)[0][0]}")
    return wanted


def _name_and_chance(item: Any) -> tuple[str, Width]:
    name = item.get("marketHashName") if isinstance(item, Mapping) else None
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_ITEM_NAME:
        raise Refusal("Each item must have a valid marketHashName")
    return name, width_from_percent(item.get("percentage"))


def type_and_price(wanted: ChancesByName, items: Mapping[str, Item]) -> tuple[GameType, Cents]:
    """The type and the price of a case with these items. ``items`` has all of them by name."""
    price = price_of((items[name].price_cents, chance) for name, chance in wanted.items())
    return game_type({items[name].app_id for name in wanted}), price


def insert(case_id: int, items: Iterable[tuple[int, Width]]) -> None:
    """Insert the items of a case that has none: the id and the chance of each."""
    rows = [(case_id, position, item_id, chance) for position, (item_id, chance) in enumerate(items)]
    columns = [CaseItem.case, CaseItem.position, CaseItem.item, CaseItem.ticket_width]
    CaseItem.insert_many(rows, columns).execute()


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
