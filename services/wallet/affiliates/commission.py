"""The commission of a code's owner."""

import peewee

from models.ledger import Referral
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

PERCENT_OF_UCENTS = 100 * 10**6
"""What one cent is in percent of millionths."""


def rate_percent(owner: User) -> int:
    """The owner's commission in whole percent. It depends on their loss: wagers less payouts, at least 0."""
    loss = max(owner.wagered_cents - owner.earned_cents, 0)
    return next(percent for bound, percent in TIERS if loss >= bound)


def earned_cents(percent: int) -> peewee.ColumnBase:
    """SQL for (deposited - (withdraws + bonuses)) x rate of a referral, down to the cent.

    Rounded toward minus infinity, because the house pays it. Both databases divide integers toward zero, so
    99 is subtracted from negative numbers first.
    """
    net = Referral.deposited_cents - (Referral.withdrawn_cents + Referral.bonus_cents)
    hundredths = net * percent
    return peewee.Case(None, [(hundredths >= 0, hundredths / 100)], (hundredths - 99) / 100)


def claimable_cents(percent: int) -> peewee.ColumnBase:
    """SQL for what can be claimed for a referral: what it earned, within 0 and its part of what bets cost.

    What the player's bets have cost on average since the code was used, not what the player has lost: who
    claims the losses of a second account, and keeps its wins, would gain. The rate is a quarter at most, so
    claims are a quarter at most of what the house keeps on average.
    """
    cost = User.theoretical_loss_ucents - Referral.theoretical_loss_before_ucents
    earned, bound = earned_cents(percent), cost * percent / PERCENT_OF_UCENTS
    return peewee.Case(None, [(earned <= 0, 0), (earned < bound, earned)], bound)
