"""Importing cases of real-life things: all of a file or nothing of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import peewee

from models.database import writing
from models.irl_cases import IrlCase, IrlItem
from services.cases.chances import (
    CERTAIN,
    Attos,
    NotAPercentage,
    TooFine,
    attos_from_percent,
    share_equally,
)
from services.cases.kinds import can_be_shown, tidy
from services.clock import Millis
from services.errors import OperatorError
from services.irl_cases import ID
from services.money import Cents, NotAnAmount, cents_from_number
from services.text import is_picture_address, is_storable

MAX_NAME = 100
MAX_THING_NAME = 200
MAX_IMAGE = 1000
MAX_ITEMS = 500
ROWS_A_STATEMENT = 500


@dataclass(frozen=True)
class Thing:
    """A thing in a case, and its chance."""

    name: str
    image: str
    price_cents: Cents
    chance: Attos


@dataclass(frozen=True)
class ImportedIrlCase:
    """One row of a file, checked."""

    id: str
    name: str
    price_cents: Cents
    items: tuple[Thing, ...]


@dataclass(frozen=True)
class ImportResult:
    """How many cases a file brought, and how many of those were there already."""

    cases: int
    created: int
    updated: int


Progress = Callable[[int], Any]


def read(document: object) -> list[ImportedIrlCase]:
    """Check a parsed file of ``{id, name, price, items: [{name, image, price, percentage?}]}``.

    Prices are numbers of coins. Percentages left out share what the others leave of 100 equally. Raises
    OperatorError, with the number of the bad row, from 1.
    """
    if not isinstance(document, list):
        raise OperatorError("the file is not an array of cases")
    rows: dict[str, ImportedIrlCase] = {}
    for number, row in enumerate(document, start=1):
        try:
            case = _row(row)
        except ValueError as problem:
            raise OperatorError(f"row {number}: {problem}") from None
        if case.id in rows:
            raise OperatorError(f"row {number}: the id {case.id} stands in the file twice")
        rows[case.id] = case
    return list(rows.values())


def store(rows: Sequence[ImportedIrlCase], *, now: Millis, progress: Progress = int) -> ImportResult:
    """Insert these cases or update them by their ids, in one transaction.

    ``progress`` is told of cases as they are done.
    """
    created = 0
    with writing():
        for chunk in peewee.chunked(rows, ROWS_A_STATEMENT):
            created += _write(chunk, now)
            progress(len(chunk))
    return ImportResult(cases=len(rows), created=created, updated=len(rows) - created)


_UPDATED = {
    field: getattr(peewee.EXCLUDED, field.column_name) for field in (IrlCase.name, IrlCase.price_cents)
}


def _write(rows: Sequence[ImportedIrlCase], now: Millis) -> int:
    """Write these cases; how many of them are new."""
    these = IrlCase.slug.in_([row.id for row in rows])
    known = IrlCase.select(IrlCase.id).where(these).count()
    values = [
        {"slug": row.id, "name": row.name, "price_cents": row.price_cents, "created_at_ms": now}
        for row in rows
    ]
    IrlCase.insert_many(values).on_conflict(conflict_target=[IrlCase.slug], update=_UPDATED).execute()
    query: Any = IrlCase.select(IrlCase.slug, IrlCase.id).where(these)
    ids = dict(query.tuples())
    IrlItem.delete().where(IrlItem.case.in_(list(ids.values()))).execute()
    things = [
        {"case": ids[row.id], "position": position}
        | {
            "name": thing.name,
            "image": thing.image,
            "price_cents": thing.price_cents,
            "chance_attos": thing.chance,
        }
        for row in rows
        for position, thing in enumerate(row.items)
    ]
    for chunk in peewee.chunked(things, ROWS_A_STATEMENT):
        IrlItem.insert_many(chunk).execute()
    return len(rows) - known


def _row(row: object) -> ImportedIrlCase:
    if not isinstance(row, dict):
        raise ValueError("must be an object")
    case_id = row.get("id")
    if not isinstance(case_id, str) or not ID.fullmatch(case_id):
        raise ValueError("id must be 1 to 64 of a-z, 0-9 and -")
    return ImportedIrlCase(
        id=case_id,
        name=_text(row.get("name"), "name", MAX_NAME),
        price_cents=_price(row.get("price"), "price"),
        items=tuple(_items(row.get("items"))),
    )


def _items(value: object) -> Iterator[Thing]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
        raise ValueError(f"items must be an array of 1 to {MAX_ITEMS} items")
    if not all(isinstance(item, Mapping) for item in value):
        raise ValueError("each item must be an object")
    for item, chance in zip(value, _chances(value), strict=True):
        image = item.get("image")
        if image is None:
            image = ""
        if not isinstance(image, str) or len(image) > MAX_IMAGE or not is_storable(image):
            raise ValueError(f"an item's image must be a text of at most {MAX_IMAGE} characters")
        if image and not is_picture_address(image):
            raise ValueError("an item's image must be an http or https address, or a path that begins with /")
        yield Thing(
            name=_text(item.get("name"), "an item's name", MAX_THING_NAME),
            image=image,
            price_cents=_price(item.get("price"), "an item's price"),
            chance=chance,
        )


def _chances(items: Sequence[Mapping[str, object]]) -> Iterator[Attos]:
    """Each item's chance; those left out share what the others leave of 100 equally."""
    given = [None if item.get("percentage") is None else _chance(item["percentage"]) for item in items]
    left = CERTAIN - sum(chance or 0 for chance in given)
    if left < 0 or (left and None not in given):
        raise ValueError("the percentages must sum to 100, or to less when some are left out")
    shares = iter(share_equally(Attos(left), given.count(None)) if None in given else ())
    for chance in given:
        yield next(shares) if chance is None else chance


def _chance(value: object) -> Attos:
    try:
        return attos_from_percent(value)
    except TooFine:
        raise ValueError("a percentage can have at most 16 decimals") from None
    except NotAPercentage:
        raise ValueError("a percentage must be a number from 0 to 100") from None


def _text(value: object, what: str, most: int) -> str:
    text = tidy(value) if isinstance(value, str) else ""
    if not 1 <= len(text) <= most or not is_storable(text):
        raise ValueError(f"{what} must be a text of 1 to {most} characters")
    if not can_be_shown(text):
        raise ValueError(f"{what} has characters that cannot be shown")
    return text


def _price(value: object, what: str) -> Cents:
    try:
        cents = cents_from_number(value)
    except NotAnAmount:
        cents = Cents(-1)
    if cents < 0:
        raise ValueError(f"{what} must be a number from 0 to 1000000000 with at most two decimals")
    return cents
