"""Audits the prices and types of cases against their items."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from models.cases import Case, CaseItem
from models.items import Item
from services.cases.kinds import game_type
from services.cases.pricing import price_of


def mismatches() -> Iterator[str]:
    """One line for each wrong price or type. Reads in the caller's transaction."""
    query = (
        Case.select(
            Case.slug,
            Case.price_cents,
            Case.type,
            Item.price_cents,
            Item.app_id,
            CaseItem.ticket_width,
        )
        .join(CaseItem, on=(CaseItem.case == Case.id))
        .join(Item, on=(CaseItem.item == Item.id))
        .order_by(Case.id)
    )
    by_case = groupby(query.tuples().iterator(), key=itemgetter(0, 1, 2))
    for (slug, price, type_), rows in by_case:
        held = [row[3:] for row in rows]
        if price_of((cents, chance) for cents, _, chance in held) != price:
            yield f"the price of the case {slug} differs from its items'"
        if game_type({app_id for _, app_id, _ in held}) != type_:
            yield f"the type of the case {slug} differs from its items'"
