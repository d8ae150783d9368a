"""Cases as openings use them. An opening's charge, odds and prize come from one reading of its case."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from models.case_spins import CASE, IRL
from models.db.connection import reading
from models.db.sql import execute
from services.cases.kinds import FREE_CASE_ID
from services.cases.snapshots import Content, content_of
from services.fairness.rolls import PPM
from services.fairness.tickets import TICKET_RANGE
from services.games.terms import Expectation
from services.shared.errors import CaseNotFound
from services.shared.text_validation import is_storable


@dataclass(frozen=True, kw_only=True)
class OpenableCase:
    """A case as it was at ``read_at_ms``, by the database's clock."""

    row_id: int
    is_free: bool
    required_level: int
    """0 for a case that every player may open."""
    content: Content | None
    """None if an item has no price, or is retired."""
    images: Sequence[str] | None
    """Of the items, in their order. None if the payout is credited instead of kept as a prize."""
    read_at_ms: int

    @cached_property
    def expectation(self) -> Expectation | None:
        """Of the payout; None if an item has no price."""
        return expectation_of(self.content) if self.content else None

    @cached_property
    def house_edge_ppm(self) -> int:
        """What the house keeps of the price on average, rounded down; 0 for a case without a price."""
        if self.content is None or not self.content.price_cents:
            return 0
        whole = self.content.price_cents * TICKET_RANGE
        return max(whole - _value_of(self.content), 0) * PPM // whole


def expectation_of(content: Content) -> Expectation:
    """The exact mean and variance of an opening's payout, as the nearest floats."""
    mean = _value_of(content)
    squares = sum(item.price_cents**2 * item.width for item in content.items)
    return Expectation(
        mean_cents=mean / TICKET_RANGE,
        variance_square_cents=(squares * TICKET_RANGE - mean**2) / TICKET_RANGE**2,
    )


def _value_of(content: Content) -> int:
    """The mean of an opening's payout in cents, times the number of all tickets."""
    return sum(item.price_cents * item.width for item in content.items)


# One query for each game, so that prices, chances and levels are of one state of the database. Each row has
# the time, the id, price and level of the case, then the image, name, price and chance of one of its items.
QUERIES = {
    CASE: """
        SELECT {began}, cases.id, cases.price_cents, cases.required_level,
            NULL, items.market_hash_name,
            CASE WHEN items.retired_at_ms IS NULL THEN items.price_cents END, case_items.ticket_width
        FROM cases
            JOIN case_items ON case_items.case_id = cases.id
            JOIN items ON items.id = case_items.item_id
        WHERE cases.slug = :slug AND cases.retired_at_ms IS NULL
        ORDER BY case_items.ticket_width, case_items.position
    """,
    IRL: """
        SELECT {began}, irl_cases.id, irl_cases.price_cents, NULL,
            irl_items.image, irl_items.name, irl_items.price_cents, irl_items.ticket_width
        FROM irl_cases JOIN irl_items ON irl_items.case_id = irl_cases.id
        WHERE irl_cases.slug = :slug AND irl_cases.retired_at_ms IS NULL
        ORDER BY irl_items.ticket_width, irl_items.position
    """,
}


@reading()
def read_case(game: str, case_id: str) -> OpenableCase:
    """The case as it is now. Raises CaseNotFound."""
    rows = execute(QUERIES[game], {"slug": case_id}).fetchall() if is_storable(case_id) else []
    if not rows:
        raise CaseNotFound
    read_at_ms, row_id, price_cents, required_level, *_ = rows[0]
    items = [row[5:] for row in rows]
    is_priced = all(cents is not None for _, cents, _ in items)
    return OpenableCase(
        row_id=row_id,
        is_free=(game, case_id) == (CASE, FREE_CASE_ID),
        required_level=required_level or 0,
        content=content_of(case_id=case_id, price_cents=price_cents, items=items) if is_priced else None,
        images=[row[4] for row in rows] if game == IRL else None,
        read_at_ms=read_at_ms,
    )
