"""What a case costs: the value of what it gives, and 5% for the house. Source: DECISIONS, "Cases".

    price = sum(item price * percentage / 100) / 0.95, up to the cent

In whole numbers, with chances in attos (10**18 is certain): sum(cents * attos) / (0.95 * 10**18).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import peewee
from peewee import fn

from models.cases import Case, CaseItem
from models.database import database, writing
from models.items import Item
from services.cases import values, version
from services.cases.kinds import game_type
from services.cases.values import Value
from services.money import Cents

HOUSE_DIVISOR = 95 * 10**16
"""0.95 in attos."""

ROWS_A_STATEMENT = 500
MOST_ITEMS_ASKED_FOR = 500
"""Prices of more items than these have changed: it is quicker to look at every case."""

_PIECE = 10**5
_PIECES = 4


def price_of(value: Value) -> Cents:
    """The price of a case whose items are worth so much by their chances (services/cases/values.py)."""
    return Cents(-(-value // HOUSE_DIVISOR))


@writing()
def follow_item_prices(rises: Mapping[int, int]) -> None:
    """Bring the prices of cases along with those of items that have risen by so many cents (below 0: fallen).

    To be called in the transaction that has changed the items, as ``reprice_cases_holding``, and with
    nothing at all if only other things that a list shows have changed. It takes as long as these items are
    in cases, however many others are there with them. No price counts as 0.
    """
    version.begin_change()
    differences = _differences(rises)
    for case_ids in peewee.chunked(list(differences), ROWS_A_STATEMENT):
        known = values.kept(case_ids)
        new = {case_id: Value(value + differences[case_id]) for case_id, _, value in known}
        values.keep(new)
        prices = [(case_id, price_of(new[case_id]), price) for case_id, price, _ in known]
        _set_prices([(case_id, price) for case_id, price, before in prices if price != before])


def _differences(rises: Mapping[int, int]) -> dict[int, int]:
    """By how much more the cases that hold these items are worth, by their row ids."""
    differences: defaultdict[int, int] = defaultdict(int)
    for item_ids in peewee.chunked(list(rises), ROWS_A_STATEMENT):
        held = CaseItem.select(CaseItem.case, CaseItem.item, CaseItem.chance_attos)
        for case_id, item_id, chance in database.execute(held.where(CaseItem.item.in_(item_ids))):
            differences[case_id] += rises[item_id] * chance
    return differences


def _set_prices(rows: Sequence[tuple[int, Cents]]) -> None:
    if rows:
        new = peewee.ValuesList(rows, alias="new")
        Case.update(price_cents=new.c.column2).from_(new).where(Case.id == new.c.column1).execute()


@writing()
def reprice_cases_holding(item_ids: Collection[int] | None) -> None:
    """Set the prices and types of the cases that hold these items (None: of all) from the items as they are.

    To be called in the transaction that has changed the items, after the changes. It also tells the lists
    of cases, in every process, that what they show has changed; so call it, with no ids at all if no price
    is another, whenever anything that a list shows of an item has. It looks at every item of these cases.
    """
    version.begin_change()
    if item_ids is not None and not item_ids:
        return
    held = None
    if item_ids is not None and len(item_ids) <= MOST_ITEMS_ASKED_FOR:
        held = CaseItem.select(CaseItem.case).where(CaseItem.item.in_(list(item_ids)))
    changed, worth = [], {}
    for case_id, old_price, old_type, least, greatest, *pieces in _sums(held):
        worth[case_id] = _joined(pieces)
        new_price, new_type = price_of(worth[case_id]), game_type({least, greatest})
        if (new_price, new_type) != (old_price, old_type):
            changed.append((case_id, new_price, new_type))
    values.keep(worth)
    for rows in peewee.chunked(changed, ROWS_A_STATEMENT):
        new = peewee.ValuesList(rows, alias="new")
        query = Case.update(price_cents=new.c.column2, type=new.c.column3).from_(new)
        query.where(Case.id == new.c.column1).execute()


def _sums(held: Any) -> Any:
    """A row for each case: id, price, type, its items' least and greatest appid, and a sum in pieces.

    The sum is of cents * attos. It needs more than 64 bits, and SQLite has no larger number. So attos are
    taken apart into four pieces of five digits; a price of at most 10**11 times a piece, over 500 items,
    stays below 2**63.
    """
    pieces = [fn.SUM(fn.COALESCE(Item.price_cents, 0) * _piece(place)) for place in range(_PIECES)]
    query = (
        Case.select(Case.id, Case.price_cents, Case.type, fn.MIN(Item.app_id), fn.MAX(Item.app_id), *pieces)
        .join(CaseItem, on=CaseItem.case == Case.id)
        .join(Item, on=CaseItem.item == Item.id)
        .group_by(Case.id, Case.price_cents, Case.type)
    )
    return (query if held is None else query.where(Case.id.in_(held))).tuples()


def _piece(place: int) -> Any:
    """Five digits of a chance, from the right; a remainder that both databases take whole."""
    from_here = CaseItem.chance_attos / _PIECE**place
    if place == _PIECES - 1:
        return from_here
    return from_here - CaseItem.chance_attos / _PIECE ** (place + 1) * _PIECE


def _joined(pieces: Iterable[Any]) -> Value:
    return Value(sum(int(piece) * _PIECE**place for place, piece in enumerate(pieces)))
