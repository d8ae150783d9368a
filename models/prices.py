"""The price sources: the state of each, and how often the market was asked."""

import peewee
from peewee import Check

from models.db.connection import Table
from models.items import Item


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
