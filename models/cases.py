"""Cases of items and of real-life items, how often each was opened, and snapshots of their contents."""

from typing import Any

import peewee
from peewee import SQL, Check, fn

from models.db.connection import Table
from models.items import Item
from models.users import User

CASE = "case"
IRL = "irl"
"""The games that open cases, as bets name them."""


class Case(Table):
    """A case. ``slug`` is its public id; ``price_cents`` follows the prices of its items."""

    id = peewee.BigAutoField()
    # Unique too, because "A B" and "A-B" have the same id. Lowercase can be longer than the name.
    slug = peewee.CharField(max_length=300, unique=True)
    name = peewee.CharField(max_length=100)
    # See ``fold`` in services/shared/text.py: two spellings are one name. It can be longer.
    name_folded = peewee.CharField(max_length=300, unique=True)
    kind = peewee.CharField(max_length=8, constraints=[Check("kind IN ('regular', 'level', 'free')")])
    type = peewee.CharField(max_length=8, constraints=[Check("type IN ('gamea', 'gameb', 'mixed')")])
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    # Null for an imported case.
    creator = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    used_balance_type = peewee.CharField(max_length=16, null=True)
    created_at_ms = peewee.BigIntegerField()
    # The level that a player needs to open a level case.
    required_level = peewee.IntegerField(null=True)
    # Since when it is not sold any more; null while it is on sale.
    retired_at_ms = peewee.BigIntegerField(null=True)
    # A URL, a path below /media, or empty for a picture that the page draws.
    image = peewee.CharField(max_length=1000, default="")

    class Meta:
        table_name = "cases"
        constraints = [
            # With the unique slug, this allows at most one free case.
            Check("(kind = 'free') = (slug = 'free-case')"),
            Check("required_level IS NULL OR (required_level >= 0 AND kind = 'level')"),
        ]
        # They contain the filters of lists and counts, so cases that are not on the page are never fetched.
        indexes = (
            SQL(
                "CREATE INDEX cases_by_time"
                " ON cases (created_at_ms, id, kind, type, name_folded, retired_at_ms)"
            ),
            SQL(
                "CREATE INDEX cases_by_price"
                " ON cases (price_cents, id, kind, type, name_folded, retired_at_ms)"
            ),
        )


class CaseItem(Table):
    """An item in a case. ``ticket_width`` of 10**18 tickets win it; one percent is 10**16."""

    case = peewee.ForeignKeyField(Case, on_delete="CASCADE", index=False)
    position = peewee.IntegerField(constraints=[Check("position >= 0")])
    item = peewee.ForeignKeyField(Item, on_delete="RESTRICT", index=False)
    ticket_width = peewee.BigIntegerField(
        constraints=[Check("ticket_width BETWEEN 0 AND 1000000000000000000")]
    )

    class Meta:
        table_name = "case_items"
        primary_key = peewee.CompositeKey("case", "position")
        # An item is in a case once. Finds the cases of an item whose price has changed.
        indexes = (SQL("CREATE UNIQUE INDEX case_items_by_item ON case_items (item_id, case_id)"),)


class CaseVersion(Table):
    """One row: the version of the case lists. See ``begin_change`` in services/cases/version.py."""

    id = peewee.SmallIntegerField(primary_key=True, constraints=[Check("id = 1")])
    version = peewee.BigIntegerField()

    class Meta:
        table_name = "case_version"


class IrlCase(Table):
    """A case of real-life items. ``slug`` is its public id; the price comes from the import."""

    id = peewee.BigAutoField()
    slug = peewee.CharField(max_length=64, unique=True)
    name = peewee.CharField(max_length=100)
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents >= 0")])
    created_at_ms = peewee.BigIntegerField()
    # Since when it is not sold any more; null while it is on sale.
    retired_at_ms = peewee.BigIntegerField(null=True)
    # As in ``Case``.
    image = peewee.CharField(max_length=1000, default="")

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


class CaseSpins(Table):
    """The openings of one case by the players of one shard: openings that update one row wait for each other.

    ``case_id`` is a row of the cases of this game. It is no foreign key: an opening uses a snapshot, and
    its case may have been deleted since.
    """

    game = peewee.CharField(max_length=16, constraints=[Check("game IN ('case', 'irl')")])
    case_id = peewee.BigIntegerField()
    shard = peewee.IntegerField(constraints=[Check("shard BETWEEN 0 AND 63")])
    spins = peewee.BigIntegerField(constraints=[Check("spins >= 1")])

    class Meta:
        table_name = "case_spins"
        primary_key = peewee.CompositeKey("game", "case_id", "shard")


def spins_of(game: str, case_id: Any) -> Any:
    """How often the case in this column was opened, as an expression of a query."""
    counted = CaseSpins.select(fn.SUM(CaseSpins.spins)).where(
        CaseSpins.game == game, CaseSpins.case_id == case_id
    )
    return fn.COALESCE(counted, 0).cast("BIGINT")


class Snapshot(Table):
    """The canonical JSON of a case: its id, its price, and the names, prices and widths of its items.

    A row is stored with the first bet that refers to it, and never changes. The id follows from the content,
    so that in a restored database the id of a content is never that of another one.
    """

    # The first 60 bits of the hash, which fit 63.
    id = peewee.BigAutoField()
    # SHA-256 of the content in lowercase hex.
    hash = peewee.CharField(max_length=64, constraints=[Check("length(hash) = 64")])
    content = peewee.TextField()

    class Meta:
        table_name = "snapshots"
