"""Cases, and their items with their chances."""

import peewee
from peewee import Check

from models.db.connection import Table
from models.items import Item
from models.users import User


class Case(Table):
    """A case. ``slug`` is its public id; ``price_cents`` follows the prices of its items."""

    id = peewee.BigAutoField()
    # Unique too, because "A B" and "A-B" have the same id. Lowercase can be longer than the name.
    slug = peewee.CharField(max_length=300, unique=True)
    name = peewee.CharField(max_length=100)
    # See ``fold`` in services/shared/names.py: two spellings are one name. It can be longer.
    name_folded = peewee.CharField(max_length=300, unique=True)
    kind = peewee.CharField(max_length=8, constraints=[Check("kind IN ('regular', 'level', 'free')")])
    type = peewee.CharField(max_length=8, constraints=[Check("type IN ('gamea', 'gameb', 'mixed')")])
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    # Null for an imported case.
    creator = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    used_balance_type = peewee.CharField(max_length=16, null=True)
    created_at_ms = peewee.BigIntegerField()
    # The level that a player needs to open a level case.
    required_level = peewee.IntegerField(
        null=True,
        constraints=[
            Check(
                "required_level IS NULL OR (required_level >= 0 AND kind = 'level')", "cases_required_level"
            )
        ],
    )
    # Since when it is not sold any more; null while it is on sale.
    retired_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "cases"
        # With the unique slug, this allows at most one free case.
        constraints = [Check("(kind = 'free') = (slug = 'free-case')")]


# The indexes of lists and counts contain the filters, so cases that are not on the page are never fetched.
FILTERS = (Case.kind, Case.type, Case.name_folded, Case.retired_at_ms)
Case.add_index(Case.index(Case.created_at_ms, Case.id, *FILTERS, name="cases_by_time"))
Case.add_index(Case.index(Case.price_cents, Case.id, *FILTERS, name="cases_by_price"))


class CaseItem(Table):
    """An item in a case. ``ticket_width`` of 10**18 tickets win it; one percent is 10**16."""

    case = peewee.ForeignKeyField(Case, on_delete="CASCADE", index=False)
    position = peewee.IntegerField(constraints=[Check("position >= 0")])
    item = peewee.ForeignKeyField(Item, on_delete="RESTRICT", index=False)
    ticket_width = peewee.BigIntegerField(
        constraints=[Check("ticket_width BETWEEN 0 AND 1000000000000000000")]
    )

    class Meta:
        table_name = "case_items"
        primary_key = peewee.CompositeKey("case", "position")


# An item is in a case once. Finds the cases of an item whose price has changed.
CaseItem.add_index(CaseItem.index(CaseItem.item, CaseItem.case, name="case_items_by_item", unique=True))


class CaseVersion(Table):
    """One row: the version of the case lists. See ``begin_change`` in services/cases/version.py."""

    id = peewee.SmallIntegerField(primary_key=True, constraints=[Check("id = 1")])
    version = peewee.BigIntegerField()

    class Meta:
        table_name = "case_version"
