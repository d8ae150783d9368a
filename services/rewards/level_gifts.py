"""The gifts of levels: each once, while the bets pay for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.rewards import LevelGift, Reward, RewardKind, RewardState
from models.users import User
from services.rewards.refusals import NothingToClaim, RewardNotFound
from services.rewards.shares import share_of
from services.shared.clock import Millis
from services.shared.levels import level_of
from services.shared.money import Cents


@dataclass(frozen=True, kw_only=True)
class Level:
    """The gift of a level. ``state`` is None while the player has not earned it."""

    level: int
    coins: Cents
    state: RewardState | None
    case: str | None = None

    @property
    def id(self) -> str:
        """By which it is claimed."""
        return f"level-{self.level}"


def gifts_of(user: User, *, share_ppm: int) -> list[Level]:
    """All gifts, and what the player was paid for levels, the lowest level first."""
    had = _had(user.id)
    shown = {
        gift.level: Level(
            level=gift.level,
            coins=Cents(gift.coins_cents),
            state=RewardState.OFFERED
            if is_earned(user, gift.level, gift.coins_cents, had, share_ppm=share_ppm)
            else None,
        )
        for gift in LevelGift.select()
    } | {
        level: Level(level=level, coins=Cents(coins), state=RewardState.CLAIMED)
        for level, coins in had.items()
    }
    return [shown[level] for level in sorted(shown)]


def to_pay(user: User, level: int, *, share_ppm: int, now: Millis) -> Reward:
    """The reward of a claim now. Raises RewardNotFound, and NothingToClaim if it is not offered."""
    had = _had(user.id)
    if level in had:
        raise NothingToClaim
    gift: LevelGift | None = LevelGift.get_or_none(LevelGift.level == level)
    if gift is None:
        raise RewardNotFound
    if not is_earned(user, level, gift.coins_cents, had, share_ppm=share_ppm):
        raise NothingToClaim
    return Reward(
        user=user.id, kind=RewardKind.LEVEL, number=level, coins_cents=gift.coins_cents, offered_at_ms=now
    )


def is_earned(user: User, level: int, coins: int, had: Mapping[int, int], *, share_ppm: int) -> bool:
    """Whether the player has the level, and the bets pay for this gift and those before it.

    ``had`` is what was paid for each level. A level can come from an operator (``flask users create
    --level``), and from cases with a lower house edge than the upgrader's.
    """
    given = sum(had.values()) + coins
    return level_of(user) >= level and given <= share_of(user.theoretical_loss_ucents, share_ppm)


def _had(user_id: int) -> dict[int, int]:
    """What was paid to the player for each level."""
    paid: Any = Reward.select(Reward.number, Reward.coins_cents)
    return dict(paid.where(Reward.user == user_id, Reward.kind == RewardKind.LEVEL).tuples())
