"""Cases as openings use them. An opening's charge, odds and prize come from one reading of its case."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from peewee import SQL

from models.case_spins import CASE, IRL
from models.cases import Case, CaseItem
from models.db.connection import reading
from models.db.prepared_query import PreparedQuery
from models.irl_cases import IrlCase, IrlItem
from models.items import Item
from services.cases.errors import CaseNotFound
from services.cases.kinds import Kind
from services.fairness.tickets import TICKET_RANGE
from services.games.snapshots import Content, content_of
from services.games.terms import Expectation
from services.shared.money import Cents
from services.shared.text_validation import is_storable


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenableCase:
    """A case as it was at ``read_at``, by ``time.monotonic()``."""

    row_id: int
    is_free: bool
    required_level: int
    """0 for a case that every player may open."""
    content: Content | None
    expectation: Expectation | None
    """Both are None if an item has no price."""
    images: Sequence[str] | None
    """Of the items, in their order. None if the payout is credited instead of kept as a prize."""
    read_at: float


def openable_case(
    *,
    case_id: str,
    row_id: int,
    price_cents: Cents,
    items: Sequence[tuple[str, Cents | None, int]],
    read_at: float,
    kind: str = Kind.REGULAR,
    required_level: int | None = None,
    images: Sequence[str] | None = None,
) -> OpenableCase:
    """The case with these items, rarest first: name, price in cents and number of tickets of each."""
    priced = [(name, cents, width) for name, cents, width in items if cents is not None]
    content = None
    if len(priced) == len(items):
        content = content_of(case_id=case_id, price_cents=price_cents, items=priced)
    return OpenableCase(
        row_id=row_id,
        is_free=kind == Kind.FREE,
        required_level=required_level or 0,
        content=content,
        images=images,
        expectation=expectation_of(content) if content else None,
        read_at=read_at,
    )


def expectation_of(content: Content) -> Expectation:
    """The exact mean and variance of an opening's payout, as the nearest floats."""
    mean = sum(item.price_cents * item.width for item in content.items)
    squares = sum(item.price_cents**2 * item.width for item in content.items)
    return Expectation(
        mean_cents=mean / TICKET_RANGE,
        variance_square_cents=(squares * TICKET_RANGE - mean**2) / TICKET_RANGE**2,
    )


# One query for each game, so that prices, chances and levels are of one state of the database. Each row has
# the id, price, kind and level of the case, then the image, name, price and chance of one of its items.
_QUERIES = {
    CASE: PreparedQuery(
        lambda value: (
            Case.select(
                Case.id,
                Case.price_cents,
                Case.kind,
                Case.required_level,
                SQL("NULL"),
                Item.market_hash_name,
                Item.price_cents,
                CaseItem.chance_attos,
            )
            .join(CaseItem, on=(CaseItem.case == Case.id))
            .join(Item, on=(CaseItem.item == Item.id))
            .where(Case.slug == value("slug"))
            .order_by(CaseItem.chance_attos, CaseItem.position)
        )
    ),
    IRL: PreparedQuery(
        lambda value: (
            IrlCase.select(
                IrlCase.id,
                IrlCase.price_cents,
                SQL(f"'{Kind.REGULAR}'"),
                SQL("NULL"),
                IrlItem.image,
                IrlItem.name,
                IrlItem.price_cents,
                IrlItem.chance_attos,
            )
            .join(IrlItem, on=(IrlItem.case == IrlCase.id))
            .where(IrlCase.slug == value("slug"))
            .order_by(IrlItem.chance_attos, IrlItem.position)
        )
    ),
}


@reading()
def read_case(game: str, case_id: str) -> OpenableCase:
    """The case as it is now. Raises CaseNotFound."""
    # After the wait for a connection.
    read_at = time.monotonic()
    rows = _QUERIES[game].execute({"slug": case_id}).fetchall() if is_storable(case_id) else []
    if not rows:
        raise CaseNotFound
    row_id, price_cents, kind, required_level, *_ = rows[0]
    return openable_case(
        case_id=case_id,
        row_id=row_id,
        price_cents=price_cents,
        kind=kind,
        required_level=required_level,
        images=[row[4] for row in rows] if game == IRL else None,
        items=[row[5:] for row in rows],
        read_at=read_at,
    )
