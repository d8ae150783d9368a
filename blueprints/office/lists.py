"""Pages of long lists."""

from typing import Any, NamedTuple

from blueprints.office.addresses import page_number
from services.shared.pagination import Page, Place
from services.staff.player_lists import Part

ROWS = 50


class Listed(NamedTuple):
    """What a template needs of a list: see the macro ``pager``."""

    rows: list[Any]
    number: int
    has_next: bool
    pages: int | None = None
    """None if the list was not counted."""
    total: int | None = None


def place() -> Place:
    """The page of the address."""
    return Place(number=page_number(), limit=ROWS)


def listed(found: Page[Any] | Part) -> Listed:
    """The page of the address, with its rows."""
    number = page_number()
    if isinstance(found, Part):
        return Listed(found.rows, number, found.has_next)
    pages = -(-found.total // ROWS)
    return Listed(found.rows, number, number < pages, pages, found.total)
