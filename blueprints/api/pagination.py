"""Pagination: the query that selects a page of a list, and what describes the page in the answer."""

from typing import Any

import marshmallow as ma

from blueprints.api.parameters import MAX_LIMIT, WholeNumber
from server.schemas import QuerySchema, WireSchema, count, flag
from services.shared.pagination import Page, Place


def page_query(default_limit: int = 10) -> type[QuerySchema]:
    """A query schema with ``page`` (from 1) and ``limit`` (1 to 100), which are loaded as ``place``."""

    class PageQuery(QuerySchema):
        page = WholeNumber("Number of the page, from 1", default=1)
        limit = WholeNumber("Entries on a page", default=default_limit, most=MAX_LIMIT)

        @ma.post_load
        def make_place(self, query: dict[str, Any], **_: Any) -> dict[str, Any]:
            place = Place(number=query.pop("page"), limit=query.pop("limit"))
            return query | {"place": place}

    return PageQuery


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


def list_schema(
    name: str, page_name: str, description: str, *, has_more: bool = True, **fields: ma.fields.Field[Any]
) -> type[ma.Schema]:
    """The schema of a ``list_answer``. The names are those of the answer and of its data, without "Schema".

    ``fields`` show the rows and the total: see ``rows`` and ``total``.
    """
    place = {
        "total_pages": count("Pages in the list", 3),
        "current_page": count("Number of this page, from 1", 1),
    }
    page = WireSchema.from_dict(place | fields, name=f"{page_name}Schema")
    page.__doc__ = f"{description}."
    envelope = {"success": flag("Always true"), "data": ma.fields.Nested(page, required=True)}
    if has_more:
        envelope["has_more"] = flag("Whether a page follows")
        description = f"{description}, and whether another follows"
    answer = WireSchema.from_dict(envelope, name=f"{name}Schema")
    answer.__doc__ = f"{description}."
    return answer


def rows(entry: type[ma.Schema]) -> ma.fields.Nested:
    """The field of the entries of a page."""
    return ma.fields.Nested(entry, many=True, required=True, attribute="rows")


def total(noun: str) -> ma.fields.Integer:
    """The field of the number of all entries."""
    return count(f"{noun} in the list", 42, attribute="total")


def list_answer(place: Place, found: Page[Any]) -> dict[str, Any]:
    """A page in the form that the schema of a list dumps."""
    page = pagination(place, found.total)
    data = {"rows": found.rows, "total": found.total} | page
    return {"success": True, "data": data, "has_more": page["has_next_page"]}
