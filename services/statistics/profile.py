"""A player's lifetime totals."""

from models.db.connection import reading
from models.totals import PaymentTotals
from services.accounts import users


@reading()
def totals(*, user_id: int) -> dict[str, int]:
    """What the player has wagered, earned, deposited and withdrawn, in cents. Raises UserNotFound."""
    user = users.get_by_id(user_id)
    payments = PaymentTotals.get_or_none(PaymentTotals.user == user_id)
    return {
        "wagered": user.wagered_cents,
        "earned": user.earned_cents,
        "deposited": payments.deposited_cents if payments else 0,
        "withdrawn": payments.withdrawn_cents if payments else 0,
    }
