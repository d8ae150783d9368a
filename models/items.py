"""The inventory, the price sources, and the upgrader's catalogue as several processes share it."""

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
    in_feed = peewee.BooleanField(null=True)
    # Since when it is not sold any more; null while it is on sale.
    retired_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "items"
        constraints = [Check("(price_cents IS NULL) = (price_source IS NULL)")]


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


class PriceSource(Table):
    """The state of a source. A new database has the rows ``feed`` and ``market``."""

    name = peewee.CharField(max_length=8, primary_key=True)
    # The feed: when it is refreshed next. The market: when it may be asked again after a failure.
    next_at_ms = peewee.BigIntegerField(default=0)
    succeeded_at_ms = peewee.BigIntegerField(null=True)
    # Consecutive failures.
    failures = peewee.IntegerField(default=0, constraints=[Check("failures >= 0")])
    # Of the last failure, one line; kept after a success.
    last_error = peewee.CharField(max_length=200, null=True)
    # When staff asked that the next refresh accepts prices which were held back; null after it.
    jumps_accepted_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "price_sources"


class MarketSlot(Table):
    """One of the 20 requests that the market may get in a minute. A new database has all rows."""

    slot = peewee.IntegerField(primary_key=True)
    used_at_ms = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "market_slots"


class HeldMarketPrice(Table):
    """An item whose last price from the market was held back; ``--accept-jumps`` asks for it again."""

    item = peewee.ForeignKeyField(Item, primary_key=True, on_delete="CASCADE")
    held_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "held_market_prices"
