"""Imports of items and cases: checks of their rows, and what they change.

An import stores the changes, a preview only shows them. Both plan each row with the same function, which
reads and writes nothing. So a preview has the errors and the values of an import at that moment.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from services.shared.errors import Refusal
from services.shared.money import MAX_AMOUNT_CENTS, Cents, InvalidAmount, cents_from_price
from services.shared.text import can_be_shown, is_storable, normalize_name

MAX_IMAGE = 1000

IMAGE_URL = re.compile(r"((?i:https?)://[^\s/?#\\]|/(?![/\\]))[^\x00-\x1f\x7f]*")
"""An http(s) URL or a path of this service. No control characters: browsers drop tabs and line breaks, so
"/\\t/host" is a URL of another host."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ImportResult:
    """How many rows were new, and how many updated something that existed."""

    created: int
    updated: int


def checked_row(row: object) -> Row:
    """The row as an object. Raises Refusal."""
    if not isinstance(row, dict):
        raise Refusal("must be an object")
    return row


def name_from(value: object, what: str, most: int) -> str:
    """A name in its normal form (``normalize_name``). Raises Refusal."""
    name = normalize_name(value) if isinstance(value, str) else ""
    if not 1 <= len(name) <= most:
        raise Refusal(f"{what} must be a text of 1 to {most} characters")
    if not can_be_shown(name):
        raise Refusal(f"{what} has characters that cannot be shown")
    return name


def image_from(value: object, what: str) -> str:
    """The URL or path of an image; empty for null. Raises Refusal."""
    image = "" if value is None else value
    if not isinstance(image, str) or len(image) > MAX_IMAGE or not is_storable(image):
        raise Refusal(f"{what} must be a text of at most {MAX_IMAGE} characters")
    if image and not IMAGE_URL.fullmatch(image):
        raise Refusal(f"{what} must be an http or https address, or a path that begins with /")
    return image


def price_from(value: object, what: str) -> Cents:
    """A price in coins: a number, or a text such as $12.40. Raises Refusal."""
    try:
        return cents_from_price(value)
    except InvalidAmount:
        most = MAX_AMOUNT_CENTS // 100
        problem = f"{what} must be a number from 0 to {most} with at most two decimals, or a text like $12.40"
        raise Refusal(problem) from None


class ChangeKind(StrEnum):
    """What a row does."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class Difference(NamedTuple):
    """A value that a row changes, by the name of its field in the facts."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a row does to one item or case. The facts are dataclasses of one kind, with what staff compare."""

    key: str
    """Its full name or id, unique in a file."""
    before: Any
    """None for something new."""
    after: Any

    @property
    def kind(self) -> ChangeKind:
        if self.before is None:
            return ChangeKind.NEW
        return ChangeKind.UNCHANGED if self.before == self.after else ChangeKind.CHANGED

    @property
    def differences(self) -> list[Difference]:
        """The values that differ, of something that exists."""
        pairs = [
            Difference(field.name, getattr(self.before, field.name), getattr(self.after, field.name))
            for field in fields(self.after)
        ]
        return [pair for pair in pairs if pair.before != pair.after]


class Reprice(NamedTuple):
    """A case whose price follows from other prices of its items."""

    case_id: str
    before: int
    after: int


@dataclass(frozen=True)
class Preview:
    """What an import would do now. With any error it would store nothing."""

    changes: list[Change]
    errors: list[str]
    """Each with the number of its row."""
    reprices: list[Reprice]

    def of(self, kind: str) -> list[Change]:
        """The changes of this kind."""
        return [change for change in self.changes if change.kind == kind]


Input = TypeVar("Input")
Planned = TypeVar("Planned")


def plan_rows(
    rows: Iterable[Input], plan: Callable[[Input], Planned], *, key: Callable[[Planned], str], twice: str
) -> Iterator[Planned | Refusal]:
    """Plan each row. A bad row is an error with its number, from 1; so is a second row with one key."""
    keys: set[str] = set()
    for number, row in enumerate(rows, start=1):
        try:
            planned = plan(row)
        except Refusal as problem:
            yield Refusal(f"row {number}: {problem}")
            continue
        if key(planned) in keys:
            yield Refusal(f"row {number}: {twice}: {key(planned)}")
        else:
            keys.add(key(planned))
            yield planned


def without_errors(planned: Iterable[Planned | Refusal]) -> Iterator[Planned]:
    """The planned rows. Raises the first error."""
    for each in planned:
        if isinstance(each, Refusal):
            raise each
        yield each


def divided(planned: Iterable[Planned | Refusal]) -> tuple[list[Planned], list[str]]:
    """The planned rows, and the texts of all errors."""
    good: list[Planned] = []
    errors: list[str] = []
    for each in planned:
        if isinstance(each, Refusal):
            errors.append(str(each))
        else:
            good.append(each)
    return good, errors
