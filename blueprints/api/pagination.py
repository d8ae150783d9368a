"""Pages of lists: the query that asks for one, and the object that says where one is."""

from dataclasses import dataclass

import marshmallow as ma

from blueprints.api.schemas import MAX_LIMIT, QuerySchema, WholeNumber, WireSchema


def page_query(default_limit: int) -> type[QuerySchema]:
    """A query schema with ``page`` (from 1) and ``limit`` (1 to 100)."""

    class PageQuery(QuerySchema):
        page = WholeNumber(load_default=1, metadata={"type": "integer", "minimum": 1})
        limit = WholeNumber(
            load_default=default_limit,
            most=MAX_LIMIT,
            metadata={"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
        )

    return PageQuery


@dataclass(frozen=True)
class Pagination:
    """Where a page is in its list."""

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
    current_page = ma.fields.Integer(required=True)
    total_pages = ma.fields.Integer(required=True)
    total_items = ma.fields.Integer(required=True)
    has_next_page = ma.fields.Boolean(required=True)
    has_prev_page = ma.fields.Boolean(required=True)
    limit = ma.fields.Integer(required=True)
