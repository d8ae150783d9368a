"""A player's lifetime totals."""

from typing import Any

from peewee import fn

from models.db.connection import reading
from models.payments import PaymentRecord, PaymentType
from services.accounts import users


@reading()
def totals(*, user_id: int) -> dict[str, int]:
    """The player's wagers, earnings, deposits and withdrawals, in cents. Raises UserNotFound."""
    user = users.get_by_id(user_id)
    payments: Any = PaymentRecord.select(PaymentRecord.type, fn.SUM(PaymentRecord.usd_cents)).where(
        PaymentRecord.user == user_id
    )
    sums = {kind: int(cents) for kind, cents in payments.group_by(PaymentRecord.type).tuples()}
    return {
        "wagered": user.wagered_cents,
        "earned": user.earned_cents,
        "deposited": sums.get(PaymentType.DEPOSIT, 0),
        "withdrawn": sums.get(PaymentType.WITHDRAWAL, 0),
    }
