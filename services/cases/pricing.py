"""What a case costs: the value of what it gives, and 5% for the house. Source: DECISIONS, "Cases".

    price = sum(item price * percentage / 100) / 0.95, up to the cent

In whole numbers, with chances in attos (10**18 is certain): sum(cents * attos) / (0.95 * 10**18).
"""

from collections.abc import Collection, Iterable
from typing import Any

import peewee
from peewee import fn

from models.cases import Case, CaseItem
from models.database import writing
from models.items import Item
from services.cases import version
from services.cases.kinds import game_type
from services.money import Cents

HOUSE_DIVISOR = 95 * 10**16
"""0.95 in attos."""

ROWS_A_STATEMENT = 500
MOST_ITEMS_ASKED_FOR = 500
"""Prices of more items than these have changed: it is quicker to look at every case."""

_PIECE = 10**5
_PIECES = 4


def price_of(contents: Iterable[tuple[int | None, int]]) -> Cents:
    """The price of a case from its items' prices in cents and chances in attos.

    An item without a price adds nothing.
    """
    return _up_to_the_cent(sum((cents or 0) * attos for cents, attos in contents))


@writing()
def reprice_cases_holding(item_ids: Collection[int] | None) -> None:
    """Set the prices and types of the cases that hold these items (None: of all) from the items as they are.

    To be called in the transaction that has changed the items, after the changes. It also tells the lists
    of cases, in every process, that what they show has changed; so call it, with no ids at all if no price
    is another, whenever anything that a list shows of an item has.
    """
    version.begin_change()
    if item_ids is not None and not item_ids:
        return
    held = None
    if item_ids is not None and len(item_ids) <= MOST_ITEMS_ASKED_FOR:
        held = CaseItem.select(CaseItem.case).where(CaseItem.item.in_(list(item_ids)))
    changed = []
    for case_id, old_price, old_type, least, greatest, *pieces in _sums(held):
        new_price, new_type = _up_to_the_cent(_joined(pieces)), game_type({least, greatest})
        if (new_price, new_type) != (old_price, old_type):
            changed.append((case_id, new_price, new_type))
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


def _joined(pieces: Iterable[Any]) -> int:
    return sum(int(piece) * _PIECE**place for place, piece in enumerate(pieces))


def _up_to_the_cent(value: int) -> Cents:
    return Cents(-(-value // HOUSE_DIVISOR))
