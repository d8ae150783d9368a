"""Holds withdrawals while the database may lack payments: after a restore, a promotion, or in a copy.

services/log/restore.py recognises such a database, and writes into the row of the log why withdrawals are
held, and whether bets are paused too. A reconciliation ends the hold, but not the pause.
"""

import logging
from dataclasses import dataclass
from typing import Any

from peewee import SQL, fn

from models.db.connection import reading, writing
from models.log import Log, contains
from services.log.bet_log import BetLog
from services.log.restore import UNKNOWN, BetsPaused
from services.payments import discrepancies
from services.payments.discrepancies import DiscrepancyKind
from services.shared.clock import Millis
from services.shared.errors import Refusal

log = logging.getLogger("platform.payments")

ENDED_BY_RECONCILIATION = (
    "The next reconciliation with the payment providers ends this, unless it finds an unknown-payout: record"
    " that, and dismiss the discrepancy."
)


@dataclass(frozen=True)
class Hold:
    """Why withdrawals are held, since when, and whether bets are paused as well."""

    reason: str
    since_ms: Millis
    is_paused: bool

    @property
    def text(self) -> str:
        """For staff and operators: the reason, and what ends this."""
        if not self.is_paused:
            return f"Withdrawals are held because of the database: {self.reason}. {ENDED_BY_RECONCILIATION}"
        commands = "flask log continue"
        if self.reason == UNKNOWN:
            commands = f"flask log trust or {commands}, but not in a copy of another installation"
        return (
            f"Bets are paused and withdrawals are held because of the database: {self.reason}."
            f" An operator ends the pause: {commands} (docs/runbook.md#betspaused)."
        )


@reading()
def current_hold() -> Hold | None:
    """What holds withdrawals, as the database has it; None if nothing does."""
    row: Any = Log.select(Log.held_reason, Log.held_at_ms, Log.is_paused).tuples().first()
    return Hold(*row) if row and row[0] is not None else None


class PayoutHold:
    """Knows whether withdrawals are held, and ends the hold."""

    def __init__(self, bet_log: BetLog) -> None:
        self._bet_log = bet_log
        self._logged: Hold | None = None

    def current(self) -> Hold | None:
        """What holds withdrawals, after the database was compared with the file of this machine.

        Must not be called within a transaction. Raises Unavailable when it can't be compared.
        """
        self._bet_log.watch()
        return current_hold()

    def holds_nothing(self) -> Any:
        """A condition: nothing holds withdrawals, in a database that has all that this machine knows of it.

        Must not be called within a transaction.
        """
        try:
            checkpoint = self._bet_log.checkpoint()
        except BetsPaused:
            return SQL("FALSE")
        held: Any = Log.select(Log.id).where(Log.held_reason.is_null(False))
        return contains(checkpoint.size, checkpoint.root_hex) & ~fn.EXISTS(held)

    def log_changes(self) -> None:
        """Log when a hold has begun or ended, once in each process. Other tasks compare the database."""
        hold = current_hold()
        if hold is not None and hold != self._logged:
            log.warning(hold.text)
        if hold is None and self._logged is not None:
            log.info("withdrawals are not held any more")
        self._logged = hold

    @property
    def pauses_bets(self) -> bool:
        """Whether bets were paused when ``log_changes`` looked last."""
        return self._logged is not None and self._logged.is_paused

    @reading()
    def epoch(self) -> int:
        """The epoch of the log, for ``end``."""
        return int(Log.select(Log.epoch).scalar())

    def end(self, epoch: int) -> None:
        """End the hold of this epoch after a reconciliation that began in it.

        Not while bets are paused or an ``unknown-payout`` is open.
        """
        if discrepancies.open_discrepancies(DiscrepancyKind.UNKNOWN_PAYOUT):
            return
        with writing():
            is_ended = (Log.epoch == epoch) & ~Log.is_paused
            Log.update(held_reason=None, held_at_ms=None).where(is_ended).execute()


def check_not_held() -> None:
    """Raise Refusal while withdrawals are held."""
    if hold := current_hold():
        raise Refusal(hold.text)
