"""The lists of the back office about cases, on sale and retired."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import peewee

from models.cases import CASE, IRL, Case, CaseItem, IrlCase, IrlItem, spins_of
from models.db.connection import reading, repeatable_read
from models.db.sql import contains_text
from models.items import Item
from models.users import User
from services.cases import history
from services.cases.contents import ItemLine, return_of
from services.cases.kinds import CaseKind
from services.shared.errors import CaseNotFound
from services.shared.pagination import Page, Place, rows_of_page
from services.shared.text import fold


class Sale(StrEnum):
    """Which cases or items of a list."""

    ON_SALE = "on sale"
    RETIRED = "retired"


class Maker(StrEnum):
    """Who made the cases of a list."""

    HOUSE = "house"
    PLAYERS = "players"


@dataclass(frozen=True)
class HeldItem:
    """An item in a case. ``link`` is its row if it is one of the inventory."""

    line: ItemLine
    is_retired: bool = False
    link: int | None = None

    @property
    def is_missing(self) -> bool:
        """Whether it keeps the case from being opened."""
        return self.is_retired or self.line.price_cents is None


@dataclass(frozen=True)
class CaseRow:
    """A case with what staff see of it."""

    case: Any
    """A row of either kind of cases."""
    openings: int
    items: Sequence[HeldItem]
    """The rarest first."""
    creator: User | None = None

    @property
    def expected_return(self) -> float | None:
        """What an opening pays on average for each coin: see ``return_of``."""
        return return_of((item.line for item in self.items), self.case.price_cents)

    @property
    def missing(self) -> list[HeldItem]:
        """The items that keep it from being opened."""
        return [item for item in self.items if item.is_missing]


CASE_COLUMNS: Mapping[str, Any] = {
    "name": Case.name_folded,
    "price": Case.price_cents,
    "openings": spins_of(CASE, Case.id),
    "created": Case.created_at_ms,
}
"""By what a list of cases can be sorted."""


@repeatable_read(within_limit=True)
def cases(
    *,
    search: str,
    kind: CaseKind | None,
    sale: Sale | None,
    maker: Maker | None,
    order: str,
    is_descending: bool,
    place: Place,
) -> Page[CaseRow]:
    """A page of the cases whose name or id contains the search text in any case of letters.

    ``order`` is one of CASE_COLUMNS.
    """
    query = Case.select(Case.id)
    if search:
        has_text = contains_text(Case.name_folded, fold(search)) | contains_text(Case.slug, search.lower())
        query = query.where(has_text)
    if sale is not None:
        query = query.where(Case.retired_at_ms.is_null(sale is Sale.ON_SALE))
    if kind is not None:
        query = query.where(Case.kind == kind)
    if maker is not None:
        query = query.where(Case.creator.is_null(maker is Maker.HOUSE))
    total = query.count()
    direction = "DESC" if is_descending else "ASC"
    directed = [peewee.Ordering(column, direction) for column in (CASE_COLUMNS[order], Case.id)]
    ids = [id_ for (id_,) in rows_of_page(query.tuples(), order=directed, place=place, total=total)]
    found = _rows(ids)
    return Page([found[id_] for id_ in ids], total)


def case(case_id: int) -> CaseRow:
    """The case of this row. Raises CaseNotFound."""
    with repeatable_read(within_limit=True):
        found = _rows([case_id])
    if not found:
        raise CaseNotFound
    return found[case_id]


IRL_COLUMNS: Mapping[str, Callable[[CaseRow], Any]] = {
    "name": lambda row: fold(row.case.name),
    "price": lambda row: row.case.price_cents,
    "return": lambda row: row.expected_return or 0,
    "openings": lambda row: row.openings,
    "created": lambda row: row.case.created_at_ms,
}
"""By what a list of cases of real-life items can be sorted."""


@repeatable_read(within_limit=True)
def irl_cases(*, search: str, sale: Sale | None, order: str, is_descending: bool) -> list[CaseRow]:
    """The cases of real-life items whose name or id contains the search text. There are few.

    ``order`` is one of IRL_COLUMNS.
    """
    query: Any = IrlCase.select(IrlCase, spins_of(IRL, IrlCase.id).alias("openings"))
    if sale is not None:
        query = query.where(IrlCase.retired_at_ms.is_null(sale is Sale.ON_SALE))
    wanted = fold(search)
    found = [
        each
        for each in query.order_by(IrlCase.id)
        if wanted in fold(each.name) or search.lower() in each.slug
    ]
    items = _irl_items([each.id for each in found])
    rows = [CaseRow(each, each.openings, items[each.id]) for each in found]
    return sorted(rows, key=IRL_COLUMNS[order], reverse=is_descending)


@repeatable_read(within_limit=True)
def irl_case(case_id: int) -> CaseRow:
    """The case of this row. Raises CaseNotFound."""
    query: Any = IrlCase.select(IrlCase, spins_of(IRL, IrlCase.id).alias("openings"))
    found = query.where(IrlCase.id == case_id).first()
    if found is None:
        raise CaseNotFound
    return CaseRow(found, found.openings, _irl_items([case_id])[case_id])


def history_of(row: CaseRow) -> list[Any]:
    """The audit events about a case, the newest first."""
    is_irl = isinstance(row.case, IrlCase)
    kinds = history.OF_IRL_CASES if is_irl else history.OF_CASES
    return history.events_about("case", row.case.slug, kinds)


@reading()
def cases_with(item_id: int) -> list[Case]:
    """The cases that contain an item, by name."""
    query = Case.select().join(CaseItem).where(CaseItem.item == item_id)
    return list(query.order_by(Case.name_folded))


def _rows(ids: Sequence[int]) -> dict[int, CaseRow]:
    """The cases with these ids, by their ids. Three queries."""
    query: Any = (
        Case.select(Case, User, spins_of(CASE, Case.id).alias("openings"))
        .join(User, peewee.JOIN.LEFT_OUTER, on=(Case.creator == User.id))
        .where(Case.id.in_(list(ids)))
    )
    items = _items(ids)
    return {each.id: CaseRow(each, each.openings, items[each.id], each.creator) for each in query}


def _items(ids: Sequence[int]) -> Mapping[int, list[HeldItem]]:
    query: Any = (
        CaseItem.select(
            CaseItem.case,
            Item.id,
            Item.market_hash_name,
            Item.price_cents,
            CaseItem.ticket_width,
            Item.retired_at_ms,
        )
        .join(Item, on=(CaseItem.item == Item.id))
        .where(CaseItem.case.in_(list(ids)))
        .order_by(CaseItem.ticket_width, CaseItem.position)
    )
    found: defaultdict[int, list[HeldItem]] = defaultdict(list)
    for case_id, item_id, name, cents, width, retired_at_ms in query.tuples():
        line = ItemLine(name, cents, width)
        found[case_id].append(HeldItem(line, is_retired=retired_at_ms is not None, link=item_id))
    return found


def _irl_items(ids: Sequence[int]) -> Mapping[int, list[HeldItem]]:
    query: Any = IrlItem.select(IrlItem.case, IrlItem.name, IrlItem.price_cents, IrlItem.ticket_width)
    found: defaultdict[int, list[HeldItem]] = defaultdict(list)
    ordered = query.where(IrlItem.case.in_(list(ids))).order_by(IrlItem.ticket_width, IrlItem.position)
    for case_id, *line in ordered.tuples():
        found[case_id].append(HeldItem(ItemLine(*line)))
    return found
