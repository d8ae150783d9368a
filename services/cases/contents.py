"""What a case holds: its items with their chances, and the price that follows from them.

Chances are exact integers: percentages outside, the width in tickets inside. The price of a case is

    sum(item price * percentage / 100) / 0.95, rounded up to the cent

In whole numbers, with chances in tickets (10**18 is certain): sum(cents * width) / (0.95 * 10**18).
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, NewType

import peewee

from models.cases import CaseItem
from models.db.connection import repeatable_read
from models.db.sql import execute, insert_rows
from models.items import Item
from services.cases import version
from services.cases.kinds import GameType, game_type
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

ROWS_A_SLICE = 200
CASES_A_SLICE = 20

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
    insert_rows(CaseItem, ("case_id", "position", "item_id", "ticket_width"), rows)


def price_of(contents: Iterable[tuple[int | None, int]]) -> Cents:
    """The price of a case with items of these prices in cents, and these chances in tickets.

    An item without a price counts as 0.
    """
    return _price_from(sum((cents or 0) * width for cents, width in contents))


def _price_from(value: int) -> Cents:
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
    for case, items in groupby(in_slices(_contents_with(new), ROWS_A_SLICE), key=_CASE):
        _, slug, before, _ = case
        after = price_of((new.get(item, cents), chance) for *_, item, _, cents, chance in items)
        if after != before:
            found.append(Reprice(slug, before, after))
    return found


def reprice_cases_holding(item_ids: Collection[int]) -> None:
    """Set the prices and types of the cases that contain these items from their items.

    Call this in the transaction that changed the items, after the changes. That transaction must have called
    ``version.begin_change`` first, so no item and no case changes in between.
    """
    changed = []
    for case, items in groupby(_contents_with(item_ids), key=_CASE):
        row_id, _, *before = case
        held = list(items)
        price = price_of((cents, chance) for *_, cents, chance in held)
        type_ = game_type({app_id for *_, app_id, _, _ in held})
        if [price, type_] != before:
            changed.append([row_id, price, type_])
    if changed:
        execute(_SET_PRICES_AND_TYPES, {"cases": json.dumps(changed)})


_CASE = itemgetter(0, 1, 2, 3)
_CONTENTS = """
SELECT cases.id, cases.slug, cases.price_cents, cases.type,
    items.id, items.app_id, items.price_cents, case_items.ticket_width
FROM case_items
    JOIN cases ON cases.id = case_items.case_id
    JOIN items ON items.id = case_items.item_id
WHERE case_items.case_id IN (
    SELECT case_id FROM case_items
    WHERE item_id IN (SELECT CAST(value AS BIGINT) FROM {rows}(:items) AS these)
)
ORDER BY case_items.case_id
"""
_SET_PRICES_AND_TYPES = """
UPDATE cases SET price_cents = CAST(new.value ->> 1 AS BIGINT), type = new.value ->> 2
FROM {rows}(:cases) AS new WHERE cases.id = CAST(new.value ->> 0 AS BIGINT)
"""


def _contents_with(item_ids: Iterable[int]) -> Iterable[Any]:
    """The items of each case that holds one of these; the rows of a case together."""
    rows: Iterable[Any] = execute(_CONTENTS, {"items": json.dumps(list(item_ids))})
    return rows


class RunningPrices:
    """Sets the prices of cases in many transactions, each of which changes the prices of some items.

    It keeps the value of each case and adds the differences, so that the items of a case are read once.
    Adding them up again in each transaction takes 11 s of CPU for 34,500 new prices instead of 0.5.
    """

    def __init__(self) -> None:
        self._values: dict[int, int] = {}
        """The sum of cents times tickets of each case, as of the version."""
        self._version = 0

    def read(self) -> None:
        """Read the values of all cases. Other greenlets may run meanwhile."""
        with repeatable_read(within_limit=True):
            self._version = version.number()
            case_ids = [row_id for (row_id,) in execute("SELECT id FROM cases", {})]
            for some in in_slices(peewee.chunked(case_ids, CASES_A_SLICE), 1):
                self._values |= _values_of(some)

    def follow(self, differences: Mapping[int, int], *, version_now: int) -> None:
        """Set the prices of the cases that hold these items, whose prices differ by so many cents now.

        Call this once in each transaction, after the changes, even without any. ``version_now`` is what
        ``version.begin_change`` has returned in it.
        """
        if version_now != self._version + 1:
            # Another transaction has changed items or cases.
            self._values.clear()
        self._version = version_now
        held = execute(_HELD, {"items": json.dumps(list(differences))}).fetchall()
        cases = {case for case, _, _ in held}
        unknown = cases - self._values.keys()
        for case, item, chance in held:
            if case not in unknown:
                self._values[case] += differences[item] * chance
        # With the changes.
        self._values |= _values_of(unknown)
        prices = {case: _price_from(self._values[case]) for case in cases}
        if prices:
            execute(_SET_PRICES, {"prices": json.dumps(prices)})


_HELD = """
SELECT case_id, item_id, ticket_width FROM case_items
WHERE item_id IN (SELECT CAST(value AS BIGINT) FROM {rows}(:items) AS these)
"""
_OF_CASES = """
SELECT case_items.case_id, items.price_cents, case_items.ticket_width
FROM case_items JOIN items ON items.id = case_items.item_id
WHERE case_items.case_id IN (SELECT CAST(value AS BIGINT) FROM {rows}(:cases) AS these)
"""
_SET_PRICES = """
UPDATE cases SET price_cents = CAST(new.value AS BIGINT) FROM {pairs}(:prices) AS new
WHERE cases.id = CAST(new.key AS BIGINT) AND cases.price_cents <> CAST(new.value AS BIGINT)
"""


def _values_of(case_ids: Iterable[int]) -> dict[int, int]:
    """The sum of cents times tickets of each of these cases."""
    values: dict[int, int] = {}
    ids = list(case_ids)
    for case, cents, chance in execute(_OF_CASES, {"cases": json.dumps(ids)}) if ids else ():
        values[case] = values.get(case, 0) + (cents or 0) * chance
    return values
