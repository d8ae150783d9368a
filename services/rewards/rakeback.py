"""Rakeback: a share of the expected win of the bets since the last claim, at most once an hour."""

from dataclasses import dataclass

from models.rewards import Reward, RewardKind
from models.users import User
from services.rewards.refusals import NothingToClaim
from services.rewards.shares import share_of
from services.shared.clock import MINUTE_MS, Millis
from services.shared.money import Cents

CLAIMED_EVERY_MS = 60 * MINUTE_MS


@dataclass(frozen=True, kw_only=True)
class Rakeback:
    """What the player can claim for the bets since the last claim."""

    available: Cents
    rate_ppm: int
    claimable_at: Millis | None
    """An hour after the last claim; None before the first one."""

    def can_be_claimed(self, now: Millis) -> bool:
        return self.available > 0 and (self.claimable_at is None or self.claimable_at <= now)


def rakeback_of(user: User, last: Reward | None, *, rate_ppm: int) -> Rakeback:
    """The player's rakeback after this last claim."""
    paid_up_to = 0 if last is None else last.theoretical_loss_ucents or 0
    return Rakeback(
        available=share_of(user.theoretical_loss_ucents - paid_up_to, rate_ppm),
        rate_ppm=rate_ppm,
        claimable_at=None if last is None else Millis(last.changed_at_ms + CLAIMED_EVERY_MS),
    )


def to_pay(user: User, last: Reward | None, *, rate_ppm: int, now: Millis) -> Reward:
    """The reward of a claim now. Raises NothingToClaim."""
    found = rakeback_of(user, last, rate_ppm=rate_ppm)
    if not found.can_be_claimed(now):
        raise NothingToClaim
    return Reward(
        user=user.id,
        kind=RewardKind.RAKEBACK,
        number=1 if last is None else last.number + 1,
        coins_cents=found.available,
        theoretical_loss_ucents=user.theoretical_loss_ucents,
        offered_at_ms=now,
    )
