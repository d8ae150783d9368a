"""Holds withdrawals while the database may lack payments: after a restore, a promotion, or in a copy.

The public log recognises such a database (services/log/signed_log.py), and writes into it why withdrawals are
held. So the hold is that of all processes, and outlives restarts. Every payment is an event of the audit
trail, which is anchored in the log, so a database that has lost one lacks the end of the log.
"""

import logging
from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

from peewee import fn

from models.db.connection import reading, writing
from models.log import Log, contains
from services.log.signed_log import ANOTHER, REDRAWN, UNKNOWN, SignedLog
from services.payments import discrepancies
from services.payments.discrepancies import DiscrepancyKind
from services.shared.clock import Millis
from services.shared.errors import Refusal

log = logging.getLogger("platform.payments")

ADVICE = (
    "The next reconciliation with the payment providers ends this, unless it finds an unknown-payout:"
    " record that, and dismiss the discrepancy."
)
ADVICE_WITHOUT_RECORD = (
    "flask payments reconcile ends this, unless it finds an unknown-payout: record that, and dismiss the"
    " discrepancy. Do not run it if this is a copy of another installation."
)


class Hold(NamedTuple):
    """Why withdrawals are held, and since when."""

    reason: str
    since_ms: Millis

    @property
    def text(self) -> str:
        """For staff and operators: the reason, and what ends the hold."""
        advice = ADVICE_WITHOUT_RECORD if self.reason == UNKNOWN else ADVICE
        return f"Withdrawals are held because of the database: {self.reason}. {advice}"


@reading()
def current_hold() -> Hold | None:
    """What holds withdrawals, as the database has it; None if nothing does."""
    rows: Any = Log.select(Log.held_reason, Log.held_at_ms).where(Log.held_reason.is_null(False)).tuples()
    # The two logs may have different reasons. What is hardest to end comes first.
    found = [Hold(*row) for row in rows]
    return min(
        found, key=lambda hold: (hold.reason != UNKNOWN, hold.reason in (ANOTHER, REDRAWN)), default=None
    )


class PayoutHold:
    """Knows whether withdrawals are held, and ends the hold."""

    def __init__(self, logs: Sequence[SignedLog]) -> None:
        self._logs = logs
        self._logged: Hold | None = None

    def current(self) -> Hold | None:
        """What holds withdrawals, after the database was compared with what this machine knows of it.

        Must not be called within a transaction. Raises Unavailable when it can't be compared.
        """
        for each in self._logs:
            each.watch()
        return current_hold()

    def holds_nothing(self) -> Any:
        """A condition: nothing holds withdrawals, in a database that has all that this machine knows of it.

        Must not be called within a transaction.
        """
        held: Any = Log.select(Log.name).where(Log.held_reason.is_null(False))
        known = [contains(each.source.log, each.current().tree) for each in self._logs]
        return reduce(and_, known, ~fn.EXISTS(held))

    def log_changes(self) -> None:
        """Log when a hold has begun or ended, once in each process. Other tasks compare the database."""
        hold = current_hold()
        if hold is not None and hold != self._logged:
            log.warning(hold.text)
        if hold is None and self._logged is not None:
            log.info("withdrawals are not held any more")
        self._logged = hold

    @reading()
    def epochs(self) -> dict[str, int]:
        """The epoch of each log, for ``end``."""
        rows: Any = Log.select(Log.name, Log.epoch).tuples()
        return dict(rows)

    def end(self, epochs: dict[str, int], *, by_operator: bool) -> None:
        """End the holds of these epochs after a reconciliation that began in them.

        Not while an ``unknown-payout`` is open. A database that this machine had no record of may be a copy:
        then only an operator ends the hold.
        """
        if discrepancies.open_discrepancies(DiscrepancyKind.UNKNOWN_PAYOUT):
            return
        with writing():
            for name, epoch in epochs.items():
                is_ended = (Log.name == name) & (Log.epoch == epoch) & Log.held_reason.is_null(False)
                if not by_operator:
                    is_ended &= Log.held_reason != UNKNOWN
                Log.update(held_reason=None, held_at_ms=None).where(is_ended).execute()


def check_not_held() -> None:
    """Raise Refusal while withdrawals are held."""
    if hold := current_hold():
        raise Refusal(hold.text)
