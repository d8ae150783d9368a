"""Keeping the sums of payments up, by the transaction that makes them.

Those of bets are kept up by models/spin_settlement.py.
"""

from peewee import EXCLUDED

from models.payments import Payment
from models.rollups import PaymentTotals


def add_payment(payment: Payment) -> None:
    """Count a payment for its player's totals, in the transaction that records it."""
    user_id: int = payment.user_id  # type: ignore[attr-defined]  # made by peewee
    is_deposit = payment.type == "deposit"
    columns = (
        PaymentTotals.deposits,
        PaymentTotals.deposited_cents,
        PaymentTotals.withdraws,
        PaymentTotals.withdrawn_cents,
    )
    PaymentTotals.insert(
        user=user_id,
        deposits=int(is_deposit),
        deposited_cents=payment.usd_cents if is_deposit else 0,
        withdraws=int(not is_deposit),
        withdrawn_cents=0 if is_deposit else payment.usd_cents,
    ).on_conflict(
        conflict_target=[PaymentTotals.user],
        update={column: column + getattr(EXCLUDED, column.column_name) for column in columns},
    ).execute()
