"""Reading cases: the whole list, a page, one case, and what players unlock by their level."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from operator import itemgetter
from typing import Any, NamedTuple

import peewee
from peewee import fn

from models.cases import CASE, Case, CaseItem, spins_of
from models.db.connection import database, reading, repeatable_read
from models.db.sql import contains_text
from models.items import PRICE_ON_SALE, SHOWN_COLUMNS, Item
from models.users import User
from services.cases import creating
from services.cases.kinds import FREE_CASE_ID, CaseKind, GameType
from services.shared.background import in_slices
from services.shared.clock import Millis
from services.shared.errors import CaseNotFound, Refusal
from services.shared.money import Cents
from services.shared.pagination import Page, Place, rows_of_page
from services.shared.text import fold

ROWS_A_SLICE = 200

SPINS = spins_of(CASE, Case.id)

IS_ON_SALE = Case.retired_at_ms.is_null()

_ITEM_COLUMNS = [PRICE_ON_SALE if column is Item.price_cents else column for column in SHOWN_COLUMNS]


class ShownItem(NamedTuple):
    """An item of a case. ``image`` as in models/items.py, ``chance`` as in services/cases/contents.py."""

    app_id: int
    market_hash_name: str
    gun_name: str
    skin_name: str
    image: str
    price_cents: Cents | None
    next_price_fetch_ms: Millis
    chance: int


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A case with its items, the rarest first, equal chances in the order of creation.

    ``creator`` is a platform id, or empty for an imported case.
    """

    row_id: int
    id: str
    name: str
    price_cents: Cents
    creator: str
    type: str
    spins: int
    used_balance_type: str | None
    required_level: int | None
    """Of a level case, the level that a player needs to open it."""
    image: str
    """Empty for a case without a picture of its own."""
    items: list[ShownItem] = field(default_factory=list)
    snapshot: str | None = None
    """The hash of the content, of a single case that can be opened."""


class Sort(StrEnum):
    """The order of a page. The newer of two equal cases comes first; in ascending orders, the older."""

    MOST_RECENT = "Most Recent"
    OLDEST = "Oldest"
    PRICE_DESCENDING = "Price Descending"
    PRICE_ASCENDING = "Price Ascending"


_ORDERS: Mapping[Sort, Sequence[Any]] = {
    Sort.MOST_RECENT: (Case.created_at_ms.desc(), Case.id.desc()),
    Sort.OLDEST: (Case.created_at_ms.asc(), Case.id.asc()),
    Sort.PRICE_DESCENDING: (Case.price_cents.desc(), Case.id.desc()),
    Sort.PRICE_ASCENDING: (Case.price_cents.asc(), Case.id.asc()),
}


class CaseList(NamedTuple):
    """Cases without their items, the newest first, what each holds, and the items of all, by their rows."""

    cases: list[ShownCase]
    contents: Mapping[int, Sequence[tuple[int, int]]]
    """By case, each item with its chance, in the order of the case."""
    items: Mapping[int, ShownItem]
    """With the chance 0."""

    def filled(self) -> Iterator[ShownCase]:
        """The cases with their items."""
        for case in self.cases:
            held = self.contents.get(case.row_id, ())
            yield replace(case, items=[self.items[row]._replace(chance=chance) for row, chance in held])


@repeatable_read(within_limit=True)
def listed(*, kinds: Collection[CaseKind]) -> CaseList:
    """Every case of these kinds, without its spins: they are 0.

    Most items are in several cases, so each is read once. Other greenlets may run meanwhile.
    """
    ids = Case.select(Case.id).where(_of(kinds))
    query = _cases(spins=peewee.SQL("0")).where(_of(kinds)).order_by(*_ORDERS[Sort.MOST_RECENT])
    held = CaseItem.select(CaseItem.case, CaseItem.item, CaseItem.ticket_width).where(CaseItem.case.in_(ids))
    contents: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    in_order = held.order_by(CaseItem.case, CaseItem.ticket_width, CaseItem.position)
    for case_id, item_id, chance in in_slices(database.execute(in_order), ROWS_A_SLICE):
        contents[case_id].append((item_id, chance))
    columns = Item.select(Item.id, *_ITEM_COLUMNS).where(Item.id.in_(held.select(CaseItem.item)))
    items = {
        row[0]: ShownItem._make((*row[1:], 0)) for row in in_slices(database.execute(columns), ROWS_A_SLICE)
    }
    return CaseList(_shown(query), contents, items)


@repeatable_read(within_limit=True)
def page(
    *,
    kinds: Collection[CaseKind],
    place: Place,
    game: GameType | None,
    search: str,
    sort: Sort,
    least: Cents | None = None,
    most: Cents | None = None,
) -> Page[ShownCase]:
    """One page of the cases of one game, or all, whose names contain the search text in any case.

    ``least`` and ``most`` are bounds of the price.
    """
    condition = _of(kinds)
    if game:
        condition &= Case.type == game
    if search:
        condition &= contains_text(Case.name_folded, fold(search))
    if least is not None:
        condition &= Case.price_cents >= least
    if most is not None:
        condition &= Case.price_cents <= most
    total = Case.select(fn.COUNT(Case.id)).where(condition).scalar()
    # The ids come from an index alone, so the rows before the page are never fetched.
    ids = Case.select(Case.id).where(condition).tuples()
    on_page = [id_ for (id_,) in rows_of_page(ids, order=_ORDERS[sort], place=place, total=total)]
    cases = _shown(_cases().where(Case.id.in_(on_page)).order_by(*_ORDERS[sort]))
    _fill(cases, CaseItem.case.in_(on_page))
    return Page(cases, total)


@repeatable_read(within_limit=True)
def get(*, case_id: str) -> ShownCase:
    """The case with this id. Raises CaseNotFound."""
    cases = _shown(_cases().where(Case.slug == case_id, IS_ON_SALE))
    if not cases:
        raise CaseNotFound
    _fill(cases, CaseItem.case == cases[0].row_id)
    return cases[0]


def free() -> ShownCase:
    """The free case. Raises Refusal if there is none."""
    try:
        return get(case_id=FREE_CASE_ID)
    except CaseNotFound:
        raise Refusal("Free case not found", status=404) from None


def items_without_price(case: ShownCase) -> list[int]:
    """The ids of the items that are shown without a price. No query when all of them have one.

    Not of those whose price an operator sets, since no source is asked for them.
    """
    names = [item.market_hash_name for item in case.items if item.price_cents is None]
    if not names:
        return []
    from_a_source = Item.market_hash_name.in_(names) & ~Item.custom_price
    with reading():
        return list(Item.select(Item.id).where(from_a_source).scalars())


def _of(kinds: Collection[CaseKind]) -> Any:
    return Case.kind.in_(list(kinds)) & IS_ON_SALE


def _cases(*, spins: Any = SPINS) -> Any:
    return Case.select(
        Case.id,
        Case.slug,
        Case.name,
        Case.price_cents,
        fn.COALESCE(User.platform_id, ""),
        Case.type,
        spins,
        Case.used_balance_type,
        Case.required_level,
        Case.image,
    ).join(User, peewee.JOIN.LEFT_OUTER, on=Case.creator == User.id)


def _shown(query: Any) -> list[ShownCase]:
    # The driver's own rows: no column needs a conversion, and this halves the time.
    return [ShownCase(*row) for row in in_slices(database.execute(query), ROWS_A_SLICE)]


def _fill(cases: Sequence[ShownCase], condition: Any) -> None:
    """Fill in the items of these cases with one query. The condition selects the items."""
    query = (
        CaseItem.select(CaseItem.case, CaseItem.position, *_ITEM_COLUMNS, CaseItem.ticket_width)
        .join(Item, on=CaseItem.item == Item.id)
        .where(condition)
    )
    contents: defaultdict[int, list[Any]] = defaultdict(list)
    for row in in_slices(database.execute(query), ROWS_A_SLICE):
        contents[row[0]].append(row)
    for case in in_slices(cases, 1):
        # By chance, then by position.
        held = sorted(contents[case.row_id], key=itemgetter(-1, 1))
        case.items.extend([ShownItem._make(row[2:]) for row in held])


@dataclass(frozen=True, slots=True)
class Unlocks:
    """What a level unlocks. Each case has ``slug``, ``name`` and ``price_cents``, the cheapest first."""

    level: int
    creates_cases: bool
    cases: list[Any] = field(default_factory=list)


@reading()
def by_level() -> Sequence[Unlocks]:
    """The levels that unlock something, the lowest first."""
    found = {creating.MIN_LEVEL: Unlocks(creating.MIN_LEVEL, creates_cases=True)}
    columns = (Case.required_level, Case.slug, Case.name, Case.price_cents)
    cases = Case.select(*columns).where(Case.kind == CaseKind.LEVEL, IS_ON_SALE)
    for case in cases.order_by(Case.price_cents, Case.id).namedtuples():
        level = case.required_level or 0
        found.setdefault(level, Unlocks(level, creates_cases=False)).cases.append(case)
    return [found[level] for level in sorted(found)]
