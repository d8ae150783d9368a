"""Importing cases: the platform's own, and what the import of those with real-life items shares."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

import peewee

from models.cases import Case, CaseItem
from models.db.connection import database, repeatable_read, writing
from models.items import Item
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import contents, history, version
from services.cases.contents import ChancesByName, ItemLine, Width
from services.cases.kinds import FREE_CASE_ID, RESERVED_IDS, CaseKind, case_id
from services.shared.background import in_slices
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.imports import (
    Change,
    ImportResult,
    Preview,
    Row,
    checked_row,
    divided,
    image_from,
    name_from,
    plan_rows,
    without_errors,
)
from services.shared.text import fold, is_storable, normalize_name

MAX_NAME = 100
MAX_ITEMS = 1_000
ROWS_A_SLICE = 10
ROWS_A_READING = 200
NAMES_A_STATEMENT = 500

LEVEL_IN_ID = re.compile(r"level-(\d{1,9})(?!\d)", re.ASCII)
MAX_LEVEL = 999_999_999
TWICE = "the file has this case twice"


@dataclass(frozen=True)
class CaseFacts:
    """What staff compare of a case. The items are in their order."""

    name: str
    kind: str
    level: int | None
    price_cents: int
    items: tuple[ItemLine, ...]
    image: str = ""
    is_on_sale: bool = True


@dataclass(frozen=True, kw_only=True)
class CaseChange(Change):
    """``case`` has the new values, and is not saved."""

    case: Case
    contents: list[tuple[int, Width]]
    """The id and the chance of each item."""

    def store(self, *, now: Millis) -> None:
        """Save the case and its items."""
        self.case.save(only=self.case.dirty_fields)
        CaseItem.delete().where(CaseItem.case == self.case.id).execute()
        contents.insert(self.case.id, self.contents)
        history.record_change(AuditEventType.CASE_CHANGED, self, now=now)


def import_cases(rows: Iterable[object], *, now: Millis, reason: str = "") -> ImportResult:
    """Insert or update a case for each row ``{name, kind?, level?, image?, items: [...]}``.

    Items are ``{marketHashName, percentage}``. A case that exists is updated by its name, the free case by
    its kind; it keeps its id, and its kind and its image if the row has none. A player's case is never
    changed. Raises Refusal with the number of the bad row, from 1, and stores nothing of the file.
    """
    return store_all(_Planner(now).plan_all(rows), AuditEventType.CASES_IMPORTED, now=now, reason=reason)


def preview(rows: Iterable[object], *, now: Millis) -> Preview:
    """What ``import_cases`` would do with these rows now."""
    return preview_of(_Planner(now).plan_all(rows))


def store_all(planned: Iterable[Any], what: AuditEventType, *, now: Millis, reason: str = "") -> ImportResult:
    """Store changes of cases in one transaction. They are planned in it, one after another.

    Raises the first Refusal among them.
    """
    with writing():
        database.obj.lift_statement_limit()
        version.begin_change()
        created, updated = 0, 0
        for change in without_errors(planned):
            change.store(now=now)
            created += change.before is None
            updated += change.before is not None
        result = ImportResult(created=created, updated=updated)
        record(what, now=now, user_id=None, after=asdict(result) | because(reason))
    return result


@repeatable_read(within_limit=True)
def preview_of(planned: Iterable[Any]) -> Preview:
    """The changes and errors of a file, planned now. Locks nothing. Other greenlets may run meanwhile."""
    changes, errors = divided(in_slices(planned, ROWS_A_SLICE))
    return Preview([*changes], errors, [])


class _Planner:
    """Plans the rows of a file. Reads what the rows name, for many of them at once."""

    def __init__(self, now: Millis) -> None:
        self._now = now
        self._items: dict[str, Item] = {}
        # As the rows so far have changed them.
        self._by_name: dict[str, Case] = {}
        self._by_slug: dict[str, Case] = {}
        self._lines: dict[int, list[ItemLine]] = {}
        """The stored items of each case, by its row."""

    def plan_all(self, rows: Iterable[object]) -> Iterator[CaseChange | Refusal]:
        return plan_rows(self._read_ahead(rows), self._plan, key=attrgetter("key"), twice=TWICE)

    def _read_ahead(self, rows: Iterable[object]) -> Iterator[object]:
        """The same rows, after reading what they name."""
        for some in peewee.chunked(rows, ROWS_A_READING):
            objects = [row for row in some if isinstance(row, dict)]
            self._read_items({name for row in objects for name in _item_names(row)})
            self._read_cases([normalize_name(row["name"]) for row in objects if _is_text(row.get("name"))])
            yield from some

    def _read_items(self, names: set[str]) -> None:
        for some in peewee.chunked(names - self._items.keys(), NAMES_A_STATEMENT):
            for item in Item.select().where(Item.market_hash_name.in_(some)):
                self._items[item.market_hash_name] = item

    def _read_cases(self, names: Sequence[str]) -> None:
        slugs = [FREE_CASE_ID, *map(case_id, names)]
        found = Case.select().where(Case.name_folded.in_([*map(fold, names)]) | Case.slug.in_(slugs))
        # A case that an earlier row has changed keeps the name that it had before, too.
        new = [case for case in found if case.slug not in self._by_slug]
        for case in new:
            self._by_slug[case.slug] = case
            self._by_name.setdefault(case.name_folded, case)
        self._lines |= _stored_lines([case.id for case in new])

    def _plan(self, value: object) -> CaseChange:
        row = checked_row(value)
        name, kind = name_from(row.get("name"), "name", MAX_NAME), _kind(row.get("kind"))
        wanted = self._wanted_items(row.get("items"))
        type_, price = contents.type_and_price(wanted, self._items)
        case = self._stored_case(name, kind)
        before = None if case is None else _facts(case, tuple(self._lines.get(case.id, ())))
        kind = kind or (CaseKind(case.kind) if case else CaseKind.REGULAR)
        slug = case.slug if case else case_id(name, kind)
        level = _required_level(row.get("level"), kind, slug)
        image = case_image(row, case)
        if case is None:
            case = Case(slug=slug, created_at_ms=self._now)
        columns = {"name": name, "name_folded": fold(name), "type": type_, "price_cents": price}
        columns |= {"kind": kind, "required_level": level, "image": image, "retired_at_ms": None}
        for column, new in columns.items():
            setattr(case, column, new)
        # Later rows of the file find it.
        self._by_slug[slug] = self._by_name[fold(name)] = case
        lines = tuple(
            ItemLine(item, self._items[item].price_cents, chance) for item, chance in wanted.items()
        )
        return CaseChange(
            key=slug,
            before=before,
            after=_facts(case, lines),
            case=case,
            contents=[(self._items[item].id, chance) for item, chance in wanted.items()],
        )

    def _wanted_items(self, value: object) -> ChancesByName:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
            raise Refusal(f"items must be an array of 1 to {MAX_ITEMS} items")
        wanted = contents.wanted_items(value)
        for name in wanted:
            if name not in self._items:
                raise Refusal(f"there is no item {name}")
            if self._items[name].retired_at_ms is not None:
                raise Refusal(f"the item {name} is retired")
        return wanted

    def _stored_case(self, name: str, kind: CaseKind | None) -> Case | None:
        """The case that this row updates; None if the row is a new case. Raises Refusal."""
        case = self._by_name.get(fold(name))
        if case is None:
            if kind is CaseKind.FREE:
                return self._by_slug.get(FREE_CASE_ID)
            if case_id(name) in RESERVED_IDS:
                raise Refusal(f"the id {case_id(name)} is reserved")
            if case_id(name) in self._by_slug:
                raise Refusal(f"another case has the id {case_id(name)}")
        elif case.creator_id is not None:  # type: ignore[attr-defined]  # made by peewee
            raise Refusal("a player's case has this name")
        elif kind is not None and (kind is CaseKind.FREE) != (case.slug == FREE_CASE_ID):
            raise Refusal("the free case and another one cannot share a name")
        return case


def _facts(case: Case, lines: tuple[ItemLine, ...]) -> CaseFacts:
    return CaseFacts(
        name=case.name,
        kind=str(case.kind),
        level=case.required_level,
        price_cents=case.price_cents,
        items=lines,
        image=case.image,
        is_on_sale=case.retired_at_ms is None,
    )


def _stored_lines(case_ids: Sequence[int]) -> dict[int, list[ItemLine]]:
    """The items of each of these cases, in their order."""
    query: Any = CaseItem.select(
        CaseItem.case, Item.market_hash_name, Item.price_cents, CaseItem.ticket_width
    ).join(Item, on=(CaseItem.item == Item.id))
    found: dict[int, list[ItemLine]] = {}
    ordered = query.where(CaseItem.case.in_(list(case_ids))).order_by(CaseItem.case, CaseItem.position)
    for row_id, *line in ordered.tuples():
        found.setdefault(row_id, []).append(ItemLine(*line))
    return found


def _item_names(row: Row) -> Iterator[str]:
    """The names of items in a row that was not checked."""
    items = row.get("items")
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and _is_text(item.get("marketHashName")):
            yield item["marketHashName"]


def _is_text(value: object) -> bool:
    """Whether this is a text that a database can compare."""
    return isinstance(value, str) and is_storable(value)


def _required_level(value: Any, kind: CaseKind, slug: str) -> int | None:
    """The level that the row gives, or the number in the id of a level case. Raises Refusal."""
    if kind is not CaseKind.LEVEL:
        if value is not None:
            raise Refusal("level is for the kind level only")
        return None
    in_id = LEVEL_IN_ID.match(slug)
    if value is None and in_id:
        return int(in_id[1])
    if type(value) is not int or not 0 <= value <= MAX_LEVEL:
        raise Refusal(f"a level case needs a level from 0 to {MAX_LEVEL}, here or in its id")
    if in_id and int(in_id[1]) != value:
        raise Refusal(f"level must be {int(in_id[1])}, as in the id {slug}")
    return value


def case_image(row: Row, stored: Any) -> str:
    """The image that the row gives, or that of the stored case. Raises Refusal."""
    if row.get("image") is None:
        return "" if stored is None else str(stored.image)
    return image_from(row["image"], "image")


def _kind(value: Any) -> CaseKind | None:
    if value is not None and value not in list(CaseKind):
        raise Refusal(f"kind must be {', '.join(CaseKind)}")
    return None if value is None else CaseKind(value)
