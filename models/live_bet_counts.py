"""Sums and counts of bets, updated by the transaction that writes the bet.

Lists and totals then cost the same however long the history is. ``flask ledger audit`` compares each of them
with the bets that it sums.
"""

import peewee
from peewee import Check

from models.db.connection import Table

LIVE_BET_SHARDS = 64
"""The counts of the platform are spread over this many rows, because bets that update one row wait for each
other."""


class LiveBetCount(Table):
    """How many bets, and high rolls among them, the players of one shard have made.

    Without those of suspended players, which the live bets do not show.
    """

    shard = peewee.IntegerField(primary_key=True, constraints=[Check("shard BETWEEN 0 AND 63")])
    bets = peewee.BigIntegerField(constraints=[Check("bets >= 0")])
    high_rolls = peewee.BigIntegerField(constraints=[Check("high_rolls BETWEEN 0 AND bets")])

    class Meta:
        table_name = "live_bet_counts"
