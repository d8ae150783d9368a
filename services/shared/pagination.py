"""Pages of long lists, read from the nearer end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import peewee

from models.db.connection import repeatable_read

Row = TypeVar("Row")

OPPOSITE = {"ASC": "DESC", "DESC": "ASC"}


@dataclass(frozen=True)
class Page(Generic[Row]):
    """The rows of one page, and how many the whole list has."""

    rows: list[Row]
    total: int


@dataclass(frozen=True)
class Place:
    """The number of a page, from 1, and its size."""

    number: int
    limit: int

    def bounds(self, total: int) -> tuple[int, int]:
        """The positions of the page in a list of this length, from 0; the end is exclusive."""
        start = min((self.number - 1) * self.limit, total)
        return start, min(start + self.limit, total)

    def slice(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of the page, out of all."""
        start, end = self.bounds(len(rows))
        return rows[start:end]


def rows_of_page(query: Any, *, order: Sequence[peewee.Ordering], place: Place, total: int) -> list[Any]:
    """The rows of one page of a query that finds ``total``, all in one transaction.

    Read from the nearer end, so that the last page costs what the first does; the middle one costs most.
    ``order`` must be that of an index, and total: no two rows may be equal.
    """
    start, end = place.bounds(total)
    if start == end:
        return []
    if start <= total - end:
        return list(query.order_by(*order).offset(start).limit(end - start))
    backwards = [peewee.Ordering(part.node, OPPOSITE[part.direction]) for part in order]
    return list(query.order_by(*backwards).offset(total - end).limit(end - start))[::-1]


def counted_page(query: Any, *, order: Sequence[peewee.Ordering], place: Place) -> Page[Any]:
    """One page of a query, and how many rows the query finds, in a transaction of its own."""
    with repeatable_read(within_limit=True):
        total = query.count()
        return Page(rows_of_page(query, order=order, place=place, total=total), total)
