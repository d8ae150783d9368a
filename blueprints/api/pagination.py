"""Pagination: the query that selects a page of a list, and what describes the page in the answer."""

from typing import Any

from blueprints.api.parameters import MAX_LIMIT, WholeNumber
from blueprints.api.schemas import QuerySchema, WireSchema, count, flag
from services.shared.pagination import Place

SUCCESS = flag("Always true")
HAS_MORE = flag("Whether a page follows")


def page_query(default_limit: int) -> type[QuerySchema]:
    """A query schema with ``page`` (from 1) and ``limit`` (1 to 100)."""

    class PageQuery(QuerySchema):
        page = WholeNumber("Number of the page, from 1", default=1)
        limit = WholeNumber("Entries on a page", default=default_limit, most=MAX_LIMIT)

    return PageQuery


def place_of(query: dict[str, Any]) -> Place:
    """The page that a query of ``page_query`` selects."""
    return Place(number=query["page"], limit=query["limit"])


def pagination(place: Place, total: int) -> dict[str, Any]:
    """The position of a page in a list of so many entries, as ``PaginationSchema`` has it."""
    total_pages = -(-total // place.limit)
    return {
        "current_page": place.number,
        "total_pages": total_pages,
        "total_items": total,
        "has_next_page": place.number < total_pages,
        "has_prev_page": place.number > 1 and total > 0,
        "limit": place.limit,
    }


class PaginationSchema(WireSchema):
    """The position of a page in its list."""

    current_page = count("Number of this page, from 1", 1)
    total_pages = count("Pages in the list", 3)
    total_items = count("Entries in the list", 42)
    has_next_page = flag("Whether a page follows")
    has_prev_page = flag("Whether a page precedes", example=False)
    limit = count("Entries on a page", 18)


class PlaceSchema(WireSchema):
    """The position of a page in its list, beside its entries."""

    total_pages = count("Pages in the list", 3)
    current_page = count("Number of this page, from 1", 1)


def list_answer(place: Place, total: int, data: dict[str, Any]) -> dict[str, Any]:
    """The envelope of a list of a player. The schema of a list omits the keys that it does not have."""
    page = pagination(place, total)
    return {"success": True, "data": data | page, "has_more": page["has_next_page"]}
