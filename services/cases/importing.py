"""Importing cases: all of a file or nothing of it. Source: DECISIONS, "The operator's commands"."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import peewee

from models.cases import Case, CaseItem
from models.database import database, writing
from models.items import Item
from services.cases import version
from services.cases.chances import CERTAIN, NotAPercentage, TooFine, attos_from_percent
from services.cases.creating import WantedItem
from services.cases.kinds import (
    FREE_CASE_ID,
    RESERVED_IDS,
    Kind,
    can_be_shown,
    case_id,
    fold,
    game_type,
    tidy,
)
from services.cases.pricing import price_of
from services.clock import Millis
from services.errors import OperatorError
from services.money import Cents
from services.text import is_storable

MAX_NAME = 100
MAX_ITEMS = 500
ROWS_A_STATEMENT = 500


@dataclass(frozen=True)
class ImportedCase:
    """One row of a file, checked. No ``kind`` means that the file says nothing about it."""

    number: int
    name: str
    kind: Kind | None
    items: tuple[WantedItem, ...]


@dataclass(frozen=True)
class ImportResult:
    """How many cases a file brought, and how many of those were there already."""

    cases: int
    created: int
    updated: int


Progress = Callable[[int], Any]


def read(document: object) -> list[ImportedCase]:
    """Check a parsed file of ``{name, kind?, items: [{marketHashName, percentage}]}``, except for the items.

    Raises OperatorError, with the number of the bad row, from 1.
    """
    if not isinstance(document, list):
        raise OperatorError("the file is not an array of cases")
    rows = []
    names: set[str] = set()
    slugs: set[str] = set()
    for number, row in enumerate(document, start=1):
        try:
            case = _row(row, number)
        except ValueError as problem:
            raise OperatorError(f"row {number}: {problem}") from None
        if fold(case.name) in names or _slug(case) in slugs:
            raise OperatorError(f"row {number}: the name, or the id made of it, stands in the file twice")
        names.add(fold(case.name))
        slugs.add(_slug(case))
        rows.append(case)
    return rows


def store(rows: Sequence[ImportedCase], *, now: Millis, progress: Progress = int) -> ImportResult:
    """Insert or update these cases in one transaction.

    Cases that are there are updated by their names, the free case by being the only one; they keep their
    ids. A player's case is never changed. ``progress`` is called with the number of cases after each chunk.
    Raises OperatorError, with the number of the bad row, and stores nothing.
    """
    created = 0
    with writing():
        version.begin_change()
        items = _Inventory(rows)
        stored = _Stored()
        for chunk in peewee.chunked(rows, ROWS_A_STATEMENT):
            columns = [_columns(row, stored, items, now) for row in chunk]
            created += sum(each["slug"] not in stored.kinds for each in columns)
            _write(columns, chunk, items)
            progress(len(chunk))
        database.know_tables(Case, CaseItem)
    return ImportResult(cases=len(rows), created=created, updated=len(rows) - created)


class _Inventory:
    """The items that these rows speak of."""

    def __init__(self, rows: Iterable[ImportedCase]) -> None:
        names = list({item.market_hash_name for row in rows for item in row.items})
        self._by_name: dict[str, tuple[int, int, int | None]] = {}
        for chunk in peewee.chunked(names, ROWS_A_STATEMENT):
            query: Any = Item.select(Item.market_hash_name, Item.id, Item.app_id, Item.price_cents)
            for name, *item in query.where(Item.market_hash_name.in_(chunk)).tuples():
                self._by_name[name] = tuple(item)

    def of(self, row: ImportedCase) -> list[tuple[int, int, int | None]]:
        """Id, appid and price of each item of the case. Raises OperatorError."""
        for item in row.items:
            if item.market_hash_name not in self._by_name:
                raise OperatorError(f"row {row.number}: there is no item {item.market_hash_name}")
        return [self._by_name[item.market_hash_name] for item in row.items]

    def price_of(self, row: ImportedCase) -> Cents:
        """The price of the case. Raises OperatorError."""
        prices = (price for _, _, price in self.of(row))
        return price_of(zip(prices, (item.chance for item in row.items), strict=True))


class _Stored:
    """Which names and ids are taken, and by what."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.slugs: dict[str, str] = {}
        self._placed: set[str] = set()
        self._players: set[str] = set()
        query: Any = Case.select(Case.slug, Case.name_folded, Case.kind, Case.creator)
        for slug, folded, kind, creator_id in query.tuples():
            self.kinds[slug] = kind
            self.slugs[folded] = slug
            if creator_id is not None:
                self._players.add(slug)

    def place(self, row: ImportedCase) -> tuple[str, Kind]:
        """The id and the kind that this row's case has or gets. Raises OperatorError."""
        slug, kind = self._found_or_new(row)
        if slug in self._placed:
            raise OperatorError(f"row {row.number}: the file has the case {slug} twice")
        self._placed.add(slug)
        return slug, kind

    def _found_or_new(self, row: ImportedCase) -> tuple[str, Kind]:
        slug = self.slugs.get(fold(row.name))
        if slug is None:
            if row.kind is not Kind.FREE and _slug(row) in self.kinds:
                raise OperatorError(f"row {row.number}: another case has the id {_slug(row)}")
            return _slug(row), row.kind or Kind.REGULAR
        if slug in self._players:
            raise OperatorError(f"row {row.number}: a player's case has this name")
        kind = row.kind or Kind(self.kinds[slug])
        if (kind is Kind.FREE) != (slug == FREE_CASE_ID):
            raise OperatorError(f"row {row.number}: the free case and another one cannot share a name")
        return slug, kind


def _columns(row: ImportedCase, stored: _Stored, items: _Inventory, now: Millis) -> dict[str, Any]:
    slug, kind = stored.place(row)
    return {
        "slug": slug,
        "name": row.name,
        "name_folded": fold(row.name),
        "kind": kind,
        "type": game_type({app_id for _, app_id, _ in items.of(row)}),
        "price_cents": items.price_of(row),
        "created_at_ms": now,
    }


_UPDATED = {
    field: getattr(peewee.EXCLUDED, field.column_name)
    for field in (Case.name, Case.name_folded, Case.kind, Case.type, Case.price_cents)
}


def _write(columns: list[dict[str, Any]], rows: Sequence[ImportedCase], items: _Inventory) -> None:
    Case.insert_many(columns).on_conflict(conflict_target=[Case.slug], update=_UPDATED).execute()
    slugs = [each["slug"] for each in columns]
    query: Any = Case.select(Case.slug, Case.id).where(Case.slug.in_(slugs))
    ids = dict(query.tuples())
    CaseItem.delete().where(CaseItem.case.in_(list(ids.values()))).execute()
    contents = [
        (ids[slug], position, item_id, item.chance)
        for slug, row in zip(slugs, rows, strict=True)
        for position, (item, (item_id, _, _)) in enumerate(zip(row.items, items.of(row), strict=True))
    ]
    fields = [CaseItem.case, CaseItem.position, CaseItem.item, CaseItem.chance_attos]
    for chunk in peewee.chunked(contents, ROWS_A_STATEMENT):
        CaseItem.insert_many(chunk, fields=fields).execute()


def _row(row: object, number: int) -> ImportedCase:
    if not isinstance(row, dict):
        raise ValueError("must be an object")
    kind = row.get("kind")
    if kind is not None and kind not in list(Kind):
        raise ValueError(f"kind must be {', '.join(Kind)}")
    case = ImportedCase(number, _name(row.get("name")), kind and Kind(kind), _items(row.get("items")))
    if case.kind is not Kind.FREE and _slug(case) in RESERVED_IDS:
        raise ValueError(f"the id {_slug(case)} is reserved")
    return case


def _slug(case: ImportedCase) -> str:
    return FREE_CASE_ID if case.kind is Kind.FREE else case_id(case.name)


def _name(value: object) -> str:
    name = tidy(value) if isinstance(value, str) else ""
    if not 1 <= len(name) <= MAX_NAME or not is_storable(name):
        raise ValueError(f"name must be a text of 1 to {MAX_NAME} characters")
    if not can_be_shown(name):
        raise ValueError("name has characters that cannot be shown")
    return name


def _items(value: object) -> tuple[WantedItem, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
        raise ValueError(f"items must be an array of 1 to {MAX_ITEMS} items")
    items = tuple(_item(item) for item in value)
    if len({item.market_hash_name for item in items}) < len(items):
        raise ValueError("an item stands in the case twice")
    if sum(item.chance for item in items) != CERTAIN:
        raise ValueError("the percentages must sum to exactly 100")
    return items


def _item(value: object) -> WantedItem:
    name = value.get("marketHashName") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(name, str) or not is_storable(name):
        raise ValueError("each item must have a marketHashName")
    try:
        return WantedItem(name, attos_from_percent(value.get("percentage")))
    except TooFine:
        raise ValueError("a percentage can have at most 16 decimals") from None
    except NotAPercentage:
        raise ValueError("each item must have a percentage that is a number from 0 to 100") from None
