"""What waits for staff."""

from typing import Any, NamedTuple

from peewee import fn

from models.bets import Prize
from models.db.connection import reading
from models.payments import Deposit, DepositStatus, Discrepancy, Withdrawal, WithdrawalStatus
from services.wallet.prizes import Status


class Waiting(NamedTuple):
    """How much waits, and since when the first of it does; None for nothing, and where it is not known."""

    number: int
    since_ms: int | None = None


@reading()
def withdrawals() -> Waiting:
    """Withdrawals that staff must approve or reject."""
    return _waiting(Withdrawal, Withdrawal.changed_at_ms, Withdrawal.status == WithdrawalStatus.REQUESTED)


@reading()
def deposits() -> Waiting:
    """Deposits in review."""
    return _waiting(Deposit, Deposit.changed_at_ms, Deposit.status == DepositStatus.REVIEW)


@reading()
def discrepancies() -> Waiting:
    """Open discrepancies of the reconciliation."""
    return _waiting(Discrepancy, Discrepancy.found_at_ms, Discrepancy.solved_at_ms.is_null())


@reading()
def prizes() -> Waiting:
    """Prizes to ship."""
    return Waiting(Prize.select().where(Prize.status == Status.SHIPPING).count())


def _waiting(table: Any, since: Any, condition: Any) -> Waiting:
    return Waiting(*table.select(fn.COUNT(table.id), fn.MIN(since)).where(condition).tuples().get())
