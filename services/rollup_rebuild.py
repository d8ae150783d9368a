"""Making the sums and counts of models/rollups.py anew from the bets and payments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import peewee

from models.bets import Bet
from models.database import database, writing
from models.payments import Payment
from models.rollups import LiveBetCount, PaymentTotals, PeriodWager
from models.users import User
from services import rollup_sums
from services.cache_invalidation import Tag, invalidate_after_commit

ROWS_A_STATEMENT = 500


@dataclass(frozen=True)
class Rebuilt:
    """How many players had other totals than their bets, and how many rows were written."""

    corrected_players: int
    period_wagers: int
    live_bet_counts: int
    payment_totals: int


def rebuild() -> Rebuilt:
    """Set every sum and count to what it sums and counts, in one write transaction; spins wait meanwhile."""
    with writing():
        _keep_writers_out()
        invalidate_after_commit(Tag.BETS)
        wrong = rollup_sums.wrong_totals_of_play()
        for user_id, wagered, earned in wrong:
            User.update(wagered_cents=wagered, earned_cents=earned).where(User.id == user_id).execute()
        return Rebuilt(
            corrected_players=len(wrong),
            period_wagers=_replace(
                PeriodWager, [(*key, cents) for key, cents in rollup_sums.period_wagers().items() if cents]
            ),
            live_bet_counts=_replace(
                LiveBetCount, [(shard, *counts) for shard, counts in rollup_sums.live_bet_counts().items()]
            ),
            payment_totals=_replace(
                PaymentTotals, [(user_id, *sums) for user_id, sums in rollup_sums.payment_totals().items()]
            ),
        )


def _keep_writers_out() -> None:
    """See that nobody adds a bet or a payment before the end: it would be counted twice, or not at all.

    A transaction that adds one has changed its player first, so ``users`` is locked first: whoever waits
    for this holds nothing that it needs. On SQLite there is one writer anyway.
    """
    database.obj.lift_statement_limit()
    database.obj.lock_tables(User, Bet, Payment)


def _replace(table: Any, rows: Sequence[tuple[object, ...]]) -> int:
    """Make these the only rows; each has its values in the order of the table's columns."""
    table.delete().execute()
    fields = table._meta.sorted_fields  # noqa: SLF001  # peewee's own way
    for chunk in peewee.chunked(rows, ROWS_A_STATEMENT):
        table.insert_many(chunk, fields=fields).execute()
    return len(rows)
