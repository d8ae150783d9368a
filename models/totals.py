"""Sums and counts of bets, updated by the transaction that writes the bet.

Lists and totals then cost the same however long the history is. ``flask ledger audit`` compares each of them
with the bets that it sums.
"""

import peewee
from peewee import Check

from models.db.connection import Table
from models.users import User

LIVE_BET_SHARDS = 64
"""The counts of the platform are spread over this many rows, because bets that update one row wait for each
other."""


class PeriodWager(Table):
    """What one player wagered in one week or month. The leaderboard reads it."""

    period = peewee.CharField(max_length=8, constraints=[Check("period IN ('weekly', 'monthly')")])
    starts_at_ms = peewee.BigIntegerField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    wagered_cents = peewee.BigIntegerField(constraints=[Check("wagered_cents > 0")])

    class Meta:
        table_name = "period_wagers"
        # A bet adds to this row. Two concurrent first bets of a period create one row.
        primary_key = peewee.CompositeKey("period", "starts_at_ms", "user")


# The leaderboard of a period.
PeriodWager.add_index(
    PeriodWager.index(
        PeriodWager.period,
        PeriodWager.starts_at_ms,
        PeriodWager.wagered_cents.desc(),
        PeriodWager.user,
        name="period_wagers_leaderboard",
    )
)


class LiveBetCount(Table):
    """How many bets, and high rolls among them, the players of one shard have made."""

    shard = peewee.IntegerField(primary_key=True, constraints=[Check("shard BETWEEN 0 AND 63")])
    bets = peewee.BigIntegerField(constraints=[Check("bets >= 0")])
    high_rolls = peewee.BigIntegerField(constraints=[Check("high_rolls BETWEEN 0 AND bets")])

    class Meta:
        table_name = "live_bet_counts"
