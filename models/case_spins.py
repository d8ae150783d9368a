"""How often each case was opened."""

from typing import Any

import peewee
from peewee import Check, fn

from models.db.connection import Table

CASE = "case"
IRL = "irl"


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
