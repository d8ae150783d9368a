"""A player's lifetime totals."""

from dataclasses import dataclass

from models.db.connection import reading
from models.totals import PaymentTotals
from services.accounts import users
from services.shared.money import NO_COINS, Cents


@dataclass(frozen=True, kw_only=True)
class ProfileTotals:
    """Lifetime sums: wagers and payouts in cents of a coin, payments in cents of a USD."""

    wagered: Cents
    earned: Cents
    deposited: Cents
    withdrawn: Cents


@reading()
def totals(*, user_id: int) -> ProfileTotals:
    """What the player has wagered, won, deposited and withdrawn. Raises UserNotFound."""
    user = users.get_by_id(user_id)
    payments = PaymentTotals.get_or_none(PaymentTotals.user == user_id)
    return ProfileTotals(
        wagered=Cents(user.wagered_cents),
        earned=Cents(user.earned_cents),
        deposited=Cents(payments.deposited_cents) if payments else NO_COINS,
        withdrawn=Cents(payments.withdrawn_cents) if payments else NO_COINS,
    )
