"""What an opening of a case pays on average now, rounded up to the cent: what it costs the house for free."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from models.db.connection import reading
from models.db.sql import execute
from services.cases.contents import CERTAIN
from services.shared.errors import CaseNotAvailable, CaseNotFound
from services.shared.money import Cents
from services.shared.text import is_storable


class CaseValue(NamedTuple):
    """A case with market items that is on sale, and whose items all have a price."""

    row_id: int
    slug: str
    required_level: int
    """0 for a case that every player may open."""
    value_cents: Cents


_QUERY = """
SELECT cases.id, cases.slug, COALESCE(cases.required_level, 0),
    CASE WHEN items.retired_at_ms IS NULL THEN items.price_cents END, case_items.ticket_width
FROM cases
    JOIN case_items ON case_items.case_id = cases.id
    JOIN items ON items.id = case_items.item_id
WHERE cases.retired_at_ms IS NULL AND {condition}
ORDER BY cases.id
"""
_BY_SLUG = _QUERY.replace("{condition}", "cases.slug = :slug")
_OF_LEVEL_CASES = _QUERY.replace("{condition}", "cases.kind = 'level'")
_OF_GIFTS = _QUERY.replace("{condition}", "cases.id IN (SELECT case_id FROM level_gifts)")


@reading()
def value_of(slug: str) -> CaseValue:
    """The case with this id. Raises CaseNotFound, and CaseNotAvailable if an item has no price."""
    rows = execute(_BY_SLUG, {"slug": slug}).fetchall() if is_storable(slug) else []
    if not rows:
        raise CaseNotFound
    values = list(_values(rows))
    if not values:
        raise CaseNotAvailable
    return values[0]


@reading()
def level_cases() -> list[CaseValue]:
    """The level cases that can be opened, in no order."""
    return list(_values(execute(_OF_LEVEL_CASES, {}).fetchall()))


@reading()
def cases_of_gifts() -> dict[int, CaseValue]:
    """Of the cases that levels give, those that can be opened, by the ids of their rows."""
    return {case.row_id: case for case in _values(execute(_OF_GIFTS, {}).fetchall())}


def _values(rows: Iterable[Any]) -> Iterable[CaseValue]:
    for (row_id, slug, level), items in groupby(rows, key=itemgetter(0, 1, 2)):
        held = [(cents, width) for *_, cents, width in items]
        if all(cents is not None for cents, _ in held):
            value = sum(cents * width for cents, width in held)
            yield CaseValue(row_id, slug, level, Cents(-(-value // CERTAIN)))
