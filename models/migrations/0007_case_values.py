"""The exact value of the items of each case, to which price changes add their difference."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

import peewee
from peewee import Check, fn

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class Item(Table):
    id = peewee.BigAutoField()
    price_cents = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "items"


class Case(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "cases"


class CaseItem(Table):
    case = peewee.ForeignKeyField(Case, index=False)
    position = peewee.IntegerField()
    item = peewee.ForeignKeyField(Item, index=False)
    chance_attos = peewee.BigIntegerField()

    class Meta:
        table_name = "case_items"
        primary_key = peewee.CompositeKey("case", "position")


class CaseValue(Table):
    case = peewee.ForeignKeyField(Case, primary_key=True, on_delete="CASCADE")
    whole_cents = peewee.BigIntegerField(constraints=[Check("whole_cents >= 0")])
    cent_attos = peewee.BigIntegerField(constraints=[Check("cent_attos BETWEEN 0 AND 999999999999999999")])

    class Meta:
        table_name = "case_values"


TABLES = (Item, Case, CaseItem, CaseValue)
CENT = 10**18
ROWS_A_STATEMENT = 500


def up(migrator, db):
    with db.bind_ctx(TABLES):
        db.create_tables([CaseValue], safe=False)
        columns = [CaseValue.case, CaseValue.whole_cents, CaseValue.cent_attos]
        for rows in peewee.chunked(list(_values()), ROWS_A_STATEMENT):
            CaseValue.insert_many(rows, fields=columns).execute()


def _values() -> Iterator[tuple[int, int, int]]:
    query = (
        CaseItem.select(CaseItem.case, fn.COALESCE(Item.price_cents, 0), CaseItem.chance_attos)
        .join(Item, on=CaseItem.item == Item.id)
        .order_by(CaseItem.case)
        .tuples()
    )
    for case_id, held in groupby(query.iterator(), key=itemgetter(0)):
        # With Python's integers, because the sum may need 97 bits.
        yield (case_id, *divmod(sum(cents * attos for _, cents, attos in held), CENT))
