"""The inventory: every item that can be won, with its current price."""

import peewee
from peewee import Check

from models.db.connection import Table


class Item(Table):
    """An item of one of the two games, unique by its full market name."""

    id = peewee.BigAutoField()
    app_id = peewee.IntegerField(constraints=[Check("app_id IN (730, 252490)")])
    market_hash_name = peewee.CharField(max_length=200, unique=True)
    gun_name = peewee.CharField(max_length=200)
    skin_name = peewee.CharField(max_length=200)
    # A URL, a path below /media, or empty for the neutral image.
    image = peewee.CharField(max_length=1000, default="")
    price_cents = peewee.BigIntegerField(null=True, constraints=[Check("price_cents >= 0")])
    custom_price = peewee.BooleanField(default=False)
    next_price_fetch_ms = peewee.BigIntegerField()
    # Where the price comes from; null exactly when there is none.
    price_source = peewee.CharField(
        max_length=8, null=True, constraints=[Check("price_source IN ('import', 'feed', 'market')")]
    )
    # Whether the price feed contains the item; null until the item is compared with the feed.
    # The check is here because SQLite adds constraints only together with a column.
    in_feed = peewee.BooleanField(
        null=True, constraints=[Check("(price_cents IS NULL) = (price_source IS NULL)")]
    )
    # Since when it is not sold any more; null while it is on sale.
    retired_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "items"


SHOWN_COLUMNS = (
    Item.app_id,
    Item.market_hash_name,
    Item.gun_name,
    Item.skin_name,
    Item.image,
    Item.price_cents,
    Item.next_price_fetch_ms,
)
"""What clients see of an item, in a case and in the catalogue."""

PRICE_ON_SALE = peewee.Case(None, [(Item.retired_at_ms.is_null(), Item.price_cents)])
"""The price; null for a retired item, so that a case with one can't be opened."""
