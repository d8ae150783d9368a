"""Cases: what is in them with what chance, and how many a player has made."""

import peewee
from peewee import Check

from models.database import Table
from models.items import Item
from models.users import User


class Case(Table):
    """A case. ``slug`` is its id for the outside; ``price_cents`` follows the prices of its items."""

    id = peewee.BigAutoField()
    # Unique beside the name: "A B" and "A-B" are two names with one id. Lowering may lengthen a name.
    slug = peewee.CharField(max_length=300, unique=True)
    name = peewee.CharField(max_length=100)
    # Unique here rather than above: two spellings of one name are one name. Folding may lengthen it.
    name_folded = peewee.CharField(max_length=300, unique=True)
    kind = peewee.CharField(max_length=8, constraints=[Check("kind IN ('regular', 'level', 'free')")])
    type = peewee.CharField(max_length=8, constraints=[Check("type IN ('gamea', 'gameb', 'mixed')")])
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    # Null when an operator imported it.
    creator = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    used_balance_type = peewee.CharField(max_length=16, null=True)
    spins = peewee.BigIntegerField(default=0, constraints=[Check("spins >= 0")])
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "cases"
        # With the unique slug: there is one free case at most.
        constraints = [Check("(kind = 'free') = (slug = 'free-case')")]


# Lists and their counts, by time. The filters stand in the index, so that a case which is not on the
# page is never fetched.
Case.add_index(
    Case.index(Case.created_at_ms, Case.id, Case.kind, Case.type, Case.name_folded, name="cases_by_time")
)
# The same by price.
Case.add_index(
    Case.index(Case.price_cents, Case.id, Case.kind, Case.type, Case.name_folded, name="cases_by_price")
)


class CaseItem(Table):
    """An item in a case. ``chance_attos`` is its chance in parts of 10**18, so a percent is 10**16."""

    case = peewee.ForeignKeyField(Case, on_delete="CASCADE", index=False)
    position = peewee.IntegerField(constraints=[Check("position >= 0")])
    item = peewee.ForeignKeyField(Item, on_delete="RESTRICT", index=False)
    chance_attos = peewee.BigIntegerField(
        constraints=[Check("chance_attos BETWEEN 0 AND 1000000000000000000")]
    )

    class Meta:
        table_name = "case_items"
        primary_key = peewee.CompositeKey("case", "position")


# No item twice in a case; and the cases that hold an item, when its price has changed.
CaseItem.add_index(CaseItem.index(CaseItem.item, CaseItem.case, name="case_items_by_item", unique=True))


class CaseCount(Table):
    """How many cases a player has made. The guarded update that counts one more lets no 51st through."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    made = peewee.IntegerField(constraints=[Check("made BETWEEN 0 AND 50")])

    class Meta:
        table_name = "case_counts"


class CaseVersion(Table):
    """One row that counts the changes of what the lists of cases show, whoever made them.

    A transaction counts its change before it reads an item's price for a case, so that making a case and
    changing prices happen one after the other.
    """

    id = peewee.SmallIntegerField(primary_key=True, constraints=[Check("id = 1")])
    version = peewee.BigIntegerField()

    class Meta:
        table_name = "case_version"
