"""The commission of a code's owner."""

from models.users import User
from services.shared.money import Cents

TIERS = (
    (Cents(100_000_00), 25),
    (Cents(50_000_00), 20),
    (Cents(10_000_00), 12),
    (Cents(5_000_00), 10),
    (Cents(0), 8),
)
"""The owner's loss in cents from which each percentage holds."""


def rate_percent(owner: User) -> int:
    """The owner's commission in whole percent. It depends on their loss: wagers less payouts, at least 0."""
    loss = max(owner.wagered_cents - owner.earned_cents, 0)
    return next(percent for bound, percent in TIERS if loss >= bound)


def earned_cents(*, net: int, percent: int) -> int:
    """The commission from one referral, of ``net`` cents: its deposits - (its withdrawals + the bonus).

    Rounded toward minus infinity, because the house pays it.
    """
    return net * percent // 100
