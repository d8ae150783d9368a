"""Where living prices come from: the state of each source, and how often the market was asked."""

import peewee
from peewee import Check

from models.database import Table
from models.items import Item


class PriceSource(Table):
    """How a source is doing, so that a restart forgets nothing. The migration makes ``feed`` and ``market``.

    A turn begins with a guarded update of this row, so of two processes one asks.
    """

    name = peewee.CharField(max_length=8, primary_key=True)
    # Whose state this is: an address may carry a key, so only its digest is kept.
    address_digest = peewee.CharField(max_length=64, default="")
    # When the last turn began. While it runs, ``claimed_until_ms`` is set: past that, its process is gone.
    asked_at_ms = peewee.BigIntegerField(default=0)
    claimed_until_ms = peewee.BigIntegerField(default=0)
    succeeded_at_ms = peewee.BigIntegerField(null=True)

    # Failures in a row, and until when the source is left alone because of them.
    failures = peewee.IntegerField(default=0, constraints=[Check("failures >= 0")])
    paused_until_ms = peewee.BigIntegerField(default=0)

    # Of the feed alone: the validators of the document that was applied last to all items.
    etag = peewee.CharField(max_length=500, null=True)
    last_modified = peewee.CharField(max_length=500, null=True)

    class Meta:
        table_name = "price_sources"


class MarketSlot(Table):
    """The right to ask the market once a minute. There are 20, made by the migration.

    A slot is taken with a guarded update, so no two processes ask on one.
    """

    slot = peewee.IntegerField(primary_key=True)
    used_at_ms = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "market_slots"


class HeldMarketPrice(Table):
    """An item whose last price from the market was held back: what ``--accept-jumps`` asks for again."""

    item = peewee.ForeignKeyField(Item, primary_key=True, on_delete="CASCADE")
    held_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "held_market_prices"
