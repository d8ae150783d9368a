"""Cases with their items, the number of cases of each player, and cases of real-life items."""

import peewee
from peewee import Check

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "users"


class Item(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "items"


class Case(Table):
    id = peewee.BigAutoField()
    slug = peewee.CharField(max_length=300, unique=True)
    name = peewee.CharField(max_length=100)
    name_folded = peewee.CharField(max_length=300, unique=True)
    kind = peewee.CharField(max_length=8, constraints=[Check("kind IN ('regular', 'level', 'free')")])
    type = peewee.CharField(max_length=8, constraints=[Check("type IN ('gamea', 'gameb', 'mixed')")])
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    creator = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    used_balance_type = peewee.CharField(max_length=16, null=True)
    spins = peewee.BigIntegerField(default=0, constraints=[Check("spins >= 0")])
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "cases"
        constraints = [Check("(kind = 'free') = (slug = 'free-case')")]


Case.add_index(
    Case.index(Case.created_at_ms, Case.id, Case.kind, Case.type, Case.name_folded, name="cases_by_time")
)
Case.add_index(
    Case.index(Case.price_cents, Case.id, Case.kind, Case.type, Case.name_folded, name="cases_by_price")
)


class CaseItem(Table):
    case = peewee.ForeignKeyField(Case, on_delete="CASCADE", index=False)
    position = peewee.IntegerField(constraints=[Check("position >= 0")])
    item = peewee.ForeignKeyField(Item, on_delete="RESTRICT", index=False)
    chance_attos = peewee.BigIntegerField(
        constraints=[Check("chance_attos BETWEEN 0 AND 1000000000000000000")]
    )

    class Meta:
        table_name = "case_items"
        primary_key = peewee.CompositeKey("case", "position")


CaseItem.add_index(CaseItem.index(CaseItem.item, CaseItem.case, name="case_items_by_item", unique=True))


class CaseCount(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    made = peewee.IntegerField(constraints=[Check("made BETWEEN 0 AND 50")])

    class Meta:
        table_name = "case_counts"


class CaseVersion(Table):
    id = peewee.SmallIntegerField(primary_key=True, constraints=[Check("id = 1")])
    version = peewee.BigIntegerField()

    class Meta:
        table_name = "case_version"


class IrlCase(Table):
    id = peewee.BigAutoField()
    slug = peewee.CharField(max_length=64, unique=True)
    name = peewee.CharField(max_length=100)
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    spins = peewee.BigIntegerField(default=0, constraints=[Check("spins >= 0")])
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "irl_cases"


class IrlItem(Table):
    case = peewee.ForeignKeyField(IrlCase, on_delete="CASCADE", index=False)
    position = peewee.IntegerField(constraints=[Check("position >= 0")])
    name = peewee.CharField(max_length=200)
    image = peewee.CharField(max_length=1000, default="")
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    chance_attos = peewee.BigIntegerField(
        constraints=[Check("chance_attos BETWEEN 0 AND 1000000000000000000")]
    )

    class Meta:
        table_name = "irl_items"
        primary_key = peewee.CompositeKey("case", "position")


TABLES = (Case, CaseItem, CaseCount, CaseVersion, IrlCase, IrlItem)


def up(migrator, db):
    with db.bind_ctx((User, Item, *TABLES)):
        db.create_tables(TABLES, safe=False)
