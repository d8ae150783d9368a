"""Addresses of pages: the order, page, filters and days that one asks for, and how to make another one."""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from flask import request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.urls import iri_to_uri

from services.shared.clock import DAY_MS, CalendarPeriod, Millis, iso_date
from services.shared.pagination import Page, Place
from services.staff.player_lists import Part

LOCAL = re.compile(r"/office/(?![/\\])[!-\[\]-~]*", re.ASCII)
"""A path of the back office, with its query. No backslash, which browsers take for a slash."""

OVERVIEW = "/office/"

ROWS = 50
"""On one page of a list."""

DEFAULT_DAYS = 7
MAX_SEARCH = 200

Choice = TypeVar("Choice", bound=StrEnum)


def local(address: str | None) -> str:
    """The address if it is one of the back office, else that of the overview."""
    return address if address and LOCAL.fullmatch(address) else OVERVIEW


def with_query(**changes: object) -> str:
    """The address of this page with other parameters; None removes one.

    A page number is left out unless it is given: another filter or order begins at the first page.
    """
    query: MultiDict[str, str] = MultiDict(request.args)
    query.pop("page", None)
    for name, value in changes.items():
        query.pop(name, None)
        if value not in (None, ""):
            query[name] = str(value)
    return iri_to_uri(request.path) + (f"?{urlencode(list(query.items(multi=True)))}" if query else "")


def with_parameters(endpoint: str, parameters: Mapping[str, str]) -> str:
    """The address of a page with these parameters, without those that are empty."""
    given = {name: value for name, value in parameters.items() if value}
    return url_for(endpoint) + (f"?{urlencode(given)}" if given else "")


def order(allowed: Collection[str], *, default: str) -> tuple[str, bool]:
    """The column of ``?sort=``, and whether it is descending (``-`` before it).

    Both are those of ``default`` if it names no allowed column.
    """
    given = request.args.get("sort", default)
    if given.removeprefix("-") not in allowed:
        given = default
    return given.removeprefix("-"), given.startswith("-")


def page_number(most: int = 1_000_000) -> int:
    """The number of ``?page=``, from 1."""
    text = request.args.get("page", "1")
    return min(max(int(text), 1), most) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 1


def typed_search() -> str:
    """The text of ``?q=``."""
    return request.args.get("q", "").strip()[:MAX_SEARCH]


def chosen(name: str, choices: type[Choice]) -> Choice | None:
    """The choice of a filter of the address; None for all."""
    given = request.args.get(name, "")
    return choices(given) if given in list(choices) else None


class Listed(NamedTuple):
    """What a template needs of a list: see the macro ``pager``."""

    rows: list[Any]
    number: int
    has_next: bool
    pages: int | None = None
    """None if the list was not counted."""
    total: int | None = None


MOST_ROWS = 5_000
"""In the file of a list."""


def wants_csv() -> bool:
    """Whether the address asks for the list as a file (blueprints/office/csv_files.py)."""
    return request.args.get("format") == "csv"


def place() -> Place:
    """The page of the address. A file has all pages in one."""
    return Place(number=1, limit=MOST_ROWS) if wants_csv() else Place(number=page_number(), limit=ROWS)


def listed(found: Page[Any] | Part) -> Listed:
    """The page of the address, with its rows."""
    number = page_number()
    if isinstance(found, Part):
        return Listed(found.rows, number, found.has_next)
    pages = -(-found.total // ROWS)
    return Listed(found.rows, number, number < pages, pages, found.total)


class Days(NamedTuple):
    """The days of a report, in UTC: from the beginning of the first day to before the end of the last one."""

    since: Millis
    until: Millis

    @property
    def first(self) -> str:
        """The first day, such as 2026-03-18."""
        return iso_date(self.since)

    @property
    def last(self) -> str:
        """The last day."""
        return iso_date(Millis(self.until - DAY_MS))


def days_of_address(now: Millis) -> Days:
    """The days of the address. What is no day is the default: the last seven days."""
    today = CalendarPeriod.DAY.start(now)
    last = _day("to")
    last = today if last is None else last
    first = _day("from")
    if first is None or first > last:
        first = Millis(last - (DEFAULT_DAYS - 1) * DAY_MS)
    return Days(first, Millis(last + DAY_MS))


def last_days(number: int, *, now: Millis) -> Days:
    """So many days, of which today is the last."""
    tomorrow = CalendarPeriod.DAY.start(now) + DAY_MS
    return Days(Millis(tomorrow - number * DAY_MS), Millis(tomorrow))


def usual_days(now: Millis) -> dict[str, Days]:
    """The days that are asked for most, by what the links to them say."""
    today = CalendarPeriod.DAY.start(now)
    return {
        "Today": last_days(1, now=now),
        "Yesterday": Days(Millis(today - DAY_MS), today),
        "7 days": last_days(7, now=now),
        "30 days": last_days(30, now=now),
    }


def _day(name: str) -> Millis | None:
    try:
        day = datetime.strptime(request.args.get(name, ""), "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return Millis(int(day.timestamp()) * 1000)
