"""What the pages of cases, items and prices share: searches, filters, and how chances are shown."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from flask import request

from blueprints.office.blueprint import office
from services.cases.contents import ItemLine, percent_from_width, return_of

MAX_SEARCH = 200

Choice = TypeVar("Choice", bound=StrEnum)


def typed_search() -> str:
    """The text of ``?q=``."""
    return request.args.get("q", "").strip()[:MAX_SEARCH]


def chosen(name: str, choices: type[Choice]) -> Choice | None:
    """The choice of a filter of the address; None for all."""
    given = request.args.get(name, "")
    return choices(given) if given in list(choices) else None


@office.app_template_filter()
def percent(share: float | None) -> str:
    """A share as a percentage with two decimals; a dash for none."""
    return "\u2013" if share is None else f"{share * 100:.2f}%"


@office.app_template_filter()
def chance(width: int) -> str:
    """The chance of an item as an exact percentage."""
    return f"{percent_from_width(width)}%"


@office.app_template_filter()
def case_return(items: Iterable[ItemLine], price_cents: int) -> str:
    """What an opening of a case with these items pays on average."""
    return percent(return_of(items, price_cents))
