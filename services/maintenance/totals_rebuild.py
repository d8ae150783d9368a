"""Recomputing the sums and counts from the bets and payments: models/totals.py, models/case_spins.py."""

from dataclasses import dataclass

import peewee

from models.bets import Bet
from models.case_spins import CaseSpins
from models.db.connection import Table, database, writing
from models.payments import Payment
from models.recomputed_sums import wrong_sums
from models.totals import LiveBetCount, PaymentTotals, PeriodWager
from models.users import User
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.maintenance.totals_audit import EXPECTED_ROWS, wrong_totals_of_play
from services.shared.cache_invalidation import Tag, invalidate_after_commit
from services.shared.clock import Millis

ROWS_A_STATEMENT = 500


@dataclass(frozen=True)
class Rebuilt:
    """How many players had wrong totals or sums, and how many rows were written."""

    corrected_players: int
    period_wagers: int
    live_bet_counts: int
    case_spins: int
    payment_totals: int


def rebuild(*, now: Millis) -> Rebuilt:
    """Compute every sum and count again in one write transaction, for which bets wait."""
    with writing():
        database.obj.lift_statement_limit()
        # A bet or payment written meanwhile would be counted twice or not at all. Its transaction changes
        # the player first, so ``users`` is locked first: a transaction that waits for it holds no other lock.
        database.obj.lock_tables(User, Bet, Payment)
        invalidate_after_commit(Tag.BETS)
        wrong = wrong_totals_of_play()
        for user_id, wagered, earned in wrong:
            User.update(wagered_cents=wagered, earned_cents=earned).where(User.id == user_id).execute()
        sums = wrong_sums()
        for user_id, columns in sums.items():
            User.update(columns).where(User.id == user_id).execute()
        corrected = len({user_id for user_id, _, _ in wrong} | sums.keys())
        record(What.TOTALS_REBUILT, now=now, user_id=None, after={"correctedPlayers": corrected})
        return Rebuilt(
            corrected_players=corrected,
            period_wagers=_replace_rows(PeriodWager),
            live_bet_counts=_replace_rows(LiveBetCount),
            case_spins=_replace_rows(CaseSpins),
            payment_totals=_replace_rows(PaymentTotals),
        )


def _replace_rows(table: type[Table]) -> int:
    """Replace all rows of the table by the correct ones; returns their number."""
    rows = EXPECTED_ROWS[table]()
    table.delete().execute()
    fields = table._meta.sorted_fields  # noqa: SLF001  # peewee's own way
    for chunk in peewee.chunked(rows, ROWS_A_STATEMENT):
        table.insert_many(chunk, fields=fields).execute()
    return len(rows)
