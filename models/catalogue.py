"""The upgrader's catalogue as several processes share it. Empty on SQLite, which serves one process."""

import peewee

from models.db.connection import Table


class SharedItem(Table):
    """An item as all processes show it: the columns of ``SHOWN_COLUMNS`` (models/items.py), in their order.

    The rows are replaced together. Until when they are shown is in the row ``catalogue`` of ``leases``.
    """

    app_id = peewee.IntegerField()
    market_hash_name = peewee.CharField(max_length=200)
    gun_name = peewee.CharField(max_length=200)
    skin_name = peewee.CharField(max_length=200)
    image = peewee.CharField(max_length=1000)
    price_cents = peewee.BigIntegerField()
    next_price_fetch_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "shared_items"
        primary_key = peewee.CompositeKey("app_id", "market_hash_name")
