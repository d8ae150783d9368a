"""Audits the prices and types of cases against their items, and the number of cases of each player."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

import peewee
from peewee import fn

from models.cases import Case, CaseCount, CaseItem
from models.items import Item
from models.users import User
from services.cases.kinds import game_type
from services.cases.pricing import price_of


def mismatches() -> Iterator[str]:
    """One line for each wrong case or count, with ids only. Reads in the caller's snapshot."""
    yield from _wrong_counts()
    yield from _wrong_cases()


def _wrong_counts() -> Iterator[str]:
    made = Case.select(Case.creator, fn.COUNT(Case.id).alias("made")).group_by(Case.creator).alias("counted")
    query = (
        User.select(User.platform_id)
        .join(CaseCount, peewee.JOIN.LEFT_OUTER, on=(CaseCount.user == User.id))
        .join(made, peewee.JOIN.LEFT_OUTER, on=(made.c.creator_id == User.id))
        .where(fn.COALESCE(CaseCount.made, 0) != fn.COALESCE(made.c.made, 0))
    )
    for platform_id in query.scalars():
        yield f"the number of cases of {platform_id} differs from the cases"


def _wrong_cases() -> Iterator[str]:
    query = (
        Case.select(
            Case.slug,
            Case.price_cents,
            Case.type,
            Item.price_cents,
            Item.app_id,
            CaseItem.chance_attos,
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
