"""Audit of payments: the house holds the coins of open withdrawals, and each row fits its ledger entries."""

from collections.abc import Iterator

import peewee
from peewee import fn

from models.ledger import LedgerEntry
from models.payments import Deposit, PaymentRecord, PaymentType, Withdrawal
from services.ledger.posting import Account
from services.payments import rows
from services.payments.withdrawals import HELD


def mismatches() -> Iterator[str]:
    """A line if the held coins differ from the open withdrawals, and for each row that does not fit."""
    posted = LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents)).where(
        LedgerEntry.user.is_null(), LedgerEntry.account == Account.HOUSE_HELD
    )
    held = Withdrawal.select(fn.SUM(Withdrawal.amount_cents)).where(Withdrawal.status.in_(HELD))
    if (posted.scalar() or 0) != (held.scalar() or 0):
        yield f"{Account.HOUSE_HELD} differs from the open withdrawals"
    for deposit_id in _wrong_payments(Deposit, PaymentType.DEPOSIT, Deposit.credited_cents).scalars():
        yield f"deposit {deposit_id} differs from its payment"
    for withdrawal_id in _wrong_moves(Withdrawal.hold, sign=-1).scalars():
        yield f"withdrawal {withdrawal_id} differs from its hold"
    for withdrawal_id in _wrong_moves(Withdrawal.release, sign=1).scalars():
        yield f"withdrawal {withdrawal_id} differs from its release"
    for withdrawal_id in _wrong_payments(
        Withdrawal, PaymentType.WITHDRAWAL, Withdrawal.amount_cents
    ).scalars():
        yield f"withdrawal {withdrawal_id} differs from its payment"


def _wrong_payments(table: type[rows.Row], type_: PaymentType, amount: peewee.Field) -> peewee.Select:
    """The rows whose payment has another player, direction or amount."""
    is_wrong = (
        (PaymentRecord.user != table.user)
        | (PaymentRecord.type != type_)
        | (PaymentRecord.usd_cents != amount)
    )
    return table.select(table.id).join(PaymentRecord, on=(table.payment == PaymentRecord.id)).where(is_wrong)


def _wrong_moves(transaction: peewee.ForeignKeyField, *, sign: int) -> peewee.Select:
    """Withdrawals whose ledger transaction has not moved their amount from or to the player's balance."""
    entry = LedgerEntry.alias()
    is_move = (
        (entry.transaction == transaction)
        & (entry.account == Account.BALANCE)
        & (entry.user == Withdrawal.user)
        & (entry.amount_cents == Withdrawal.amount_cents * sign)
    )
    joined = Withdrawal.select(Withdrawal.id).join(entry, peewee.JOIN.LEFT_OUTER, on=is_move)
    return joined.where(transaction.is_null(False), entry.id.is_null())
