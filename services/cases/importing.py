"""Importing the platform's own cases."""

import re
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from models.cases import Case, CaseItem
from models.db.connection import database, writing
from models.items import Item
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import contents, version
from services.cases.contents import ChancesByName
from services.cases.kinds import FREE_CASE_ID, RESERVED_IDS, CaseKind, case_id
from services.shared.clock import Millis
from services.shared.errors import OperatorError
from services.shared.import_rows import ImportResult, Row, import_rows, name_from
from services.shared.names import fold

MAX_NAME = 100
MAX_ITEMS = 500

LEVEL_IN_ID = re.compile(r"level-(\d{1,9})(?!\d)", re.ASCII)
MAX_LEVEL = 999_999_999


def import_cases(rows: Iterable[object], *, now: Millis, reason: str = "") -> ImportResult:
    """Insert or update a case for each row ``{name, kind?, level?, items: [{marketHashName, percentage}]}``.

    A case that exists is updated by its name, the free case by its kind; it keeps its id, and its kind if
    the row has none. A player's case is never changed. Raises OperatorError with the number of the bad row,
    from 1, and stores nothing of the file.
    """
    with writing():
        database.obj.lift_statement_limit()
        version.begin_change()
        result = import_rows(rows, _Importer(now).import_case)
        record(AuditEventType.CASES_IMPORTED, now=now, user_id=None, after=asdict(result) | because(reason))
    return result


class _Importer:
    """Stores cases one by one."""

    def __init__(self, now: Millis) -> None:
        self._now = now
        self._items = {item.market_hash_name: item for item in Item.select()}
        cases = list(Case.select())
        self._by_name = {case.name_folded: case for case in cases}
        self._by_slug = {case.slug: case for case in cases}

    def import_case(self, row: Row) -> tuple[int, bool]:
        name, kind = name_from(row.get("name"), "name", MAX_NAME), _kind(row.get("kind"))
        wanted = self._wanted_items(row.get("items"))
        type_, price = contents.type_and_price(wanted, self._items)
        columns = {"name": name, "name_folded": fold(name), "type": type_, "price_cents": price}
        case = self._stored_case(name, kind)
        is_new = case is None
        kind = kind or (CaseKind(case.kind) if case else CaseKind.REGULAR)
        slug = case.slug if case else case_id(name, kind)
        columns |= {"kind": kind, "required_level": _required_level(row.get("level"), kind, slug)}
        columns |= {"withdrawn_at_ms": None}
        if case is None:
            case = Case.create(slug=slug, created_at_ms=self._now, **columns)
            self._by_slug[slug] = case
        else:
            Case.update(**columns).where(Case.id == case.id).execute()
            CaseItem.delete().where(CaseItem.case == case.id).execute()
        self._by_name[fold(name)] = case
        contents.insert(case.id, wanted, self._items)
        return case.id, is_new

    def _wanted_items(self, value: object) -> ChancesByName:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
            raise OperatorError(f"items must be an array of 1 to {MAX_ITEMS} items")
        wanted = contents.wanted_items(value)
        for name in wanted:
            if name not in self._items:
                raise OperatorError(f"there is no item {name}")
            if self._items[name].withdrawn_at_ms is not None:
                raise OperatorError(f"the item {name} is withdrawn")
        return wanted

    def _stored_case(self, name: str, kind: CaseKind | None) -> Case | None:
        """The case that this row updates; None if the row is a new case. Raises OperatorError."""
        case = self._by_name.get(fold(name))
        if case is None:
            if kind is CaseKind.FREE:
                return self._by_slug.get(FREE_CASE_ID)
            if case_id(name) in RESERVED_IDS:
                raise OperatorError(f"the id {case_id(name)} is reserved")
            if case_id(name) in self._by_slug:
                raise OperatorError(f"another case has the id {case_id(name)}")
        elif case.creator_id is not None:  # type: ignore[attr-defined]  # made by peewee
            raise OperatorError("a player's case has this name")
        elif kind is not None and (kind is CaseKind.FREE) != (case.slug == FREE_CASE_ID):
            raise OperatorError("the free case and another one cannot share a name")
        return case


def _required_level(value: Any, kind: CaseKind, slug: str) -> int | None:
    """The level that the row gives, or the number in the id of a level case. Raises OperatorError."""
    if kind is not CaseKind.LEVEL:
        if value is not None:
            raise OperatorError("level is for the kind level only")
        return None
    in_id = LEVEL_IN_ID.match(slug)
    if value is None and in_id:
        return int(in_id[1])
    if type(value) is not int or not 0 <= value <= MAX_LEVEL:
        raise OperatorError(f"a level case needs a level from 0 to {MAX_LEVEL}, here or in its id")
    if in_id and int(in_id[1]) != value:
        raise OperatorError(f"level must be {int(in_id[1])}, as in the id {slug}")
    return value


def _kind(value: Any) -> CaseKind | None:
    if value is not None and value not in list(CaseKind):
        raise OperatorError(f"kind must be {', '.join(CaseKind)}")
    return None if value is None else CaseKind(value)
