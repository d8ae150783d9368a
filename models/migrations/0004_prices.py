"""Prices: the state of the sources, the market's slots, and prices that are held back."""

import peewee
from peewee import Check

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class Item(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "items"


class PriceSource(Table):
    name = peewee.CharField(max_length=8, primary_key=True)
    address_digest = peewee.CharField(max_length=64, default="")
    asked_at_ms = peewee.BigIntegerField(default=0)
    claimed_until_ms = peewee.BigIntegerField(default=0)
    succeeded_at_ms = peewee.BigIntegerField(null=True)

    failures = peewee.IntegerField(default=0, constraints=[Check("failures >= 0")])
    paused_until_ms = peewee.BigIntegerField(default=0)

    etag = peewee.CharField(max_length=500, null=True)
    last_modified = peewee.CharField(max_length=500, null=True)
    inventory = peewee.CharField(max_length=200, null=True)
    marker_ms = peewee.BigIntegerField(null=True)
    last_item_id = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "price_sources"


class MarketSlot(Table):
    slot = peewee.IntegerField(primary_key=True)
    used_at_ms = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "market_slots"


class HeldMarketPrice(Table):
    item = peewee.ForeignKeyField(Item, primary_key=True, on_delete="CASCADE")
    held_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "held_market_prices"


TABLES = (PriceSource, MarketSlot, HeldMarketPrice)


def up(migrator, db):
    with db.bind_ctx((Item, *TABLES)):
        db.create_tables(TABLES, safe=False)
        PriceSource.insert_many([{"name": "feed"}, {"name": "market"}]).execute()
        MarketSlot.insert_many([{"slot": slot} for slot in range(20)]).execute()
