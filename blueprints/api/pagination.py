"""Pagination: the query that selects a page of a list, and the object that describes the page."""

from dataclasses import dataclass

from blueprints.api.schemas import MAX_LIMIT, QuerySchema, WholeNumber, WireSchema, count, flag


def page_query(default_limit: int) -> type[QuerySchema]:
    """A query schema with ``page`` (from 1) and ``limit`` (1 to 100)."""

    class PageQuery(QuerySchema):
        page = WholeNumber("Number of the page, from 1", default=1)
        limit = WholeNumber("Entries on a page", default=default_limit, most=MAX_LIMIT)

    return PageQuery


@dataclass(frozen=True)
class Pagination:
    """The position of a page in its list."""

    current_page: int
    limit: int
    total_items: int

    @property
    def total_pages(self) -> int:
        return -(-self.total_items // self.limit)

    @property
    def has_next_page(self) -> bool:
        return self.current_page < self.total_pages

    @property
    def has_prev_page(self) -> bool:
        return self.current_page > 1 and self.total_items > 0


class PaginationSchema(WireSchema):
    """The position of a page in its list."""

    current_page = count("Number of this page, from 1", 1)
    total_pages = count("Pages in the list", 3)
    total_items = count("Entries in the list", 42)
    has_next_page = flag("Whether a page follows")
    has_prev_page = flag("Whether a page precedes", example=False)
    limit = count("Entries on a page", 18)
