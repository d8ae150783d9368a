"""Cases of real-life items."""

import peewee
from peewee import Check

from models.db.connection import Table


class IrlCase(Table):
    """A case of real-life items. ``slug`` is its public id; the price comes from the import."""

    id = peewee.BigAutoField()
    slug = peewee.CharField(max_length=64, unique=True)
    name = peewee.CharField(max_length=100)
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    created_at_ms = peewee.BigIntegerField()
    # Since when it is not sold any more; null while it is on sale.
    retired_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "irl_cases"


class IrlItem(Table):
    """An item in such a case. ``ticket_width`` of 10**18 tickets win it; one percent is 10**16."""

    case = peewee.ForeignKeyField(IrlCase, backref="items", on_delete="CASCADE", index=False)
    position = peewee.IntegerField(constraints=[Check("position >= 0")])
    name = peewee.CharField(max_length=200)
    # A URL, a path below /media, or empty for the neutral image.
    image = peewee.CharField(max_length=1000, default="")
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    ticket_width = peewee.BigIntegerField(
        constraints=[Check("ticket_width BETWEEN 0 AND 1000000000000000000")]
    )

    class Meta:
        table_name = "irl_items"
        primary_key = peewee.CompositeKey("case", "position")
