"""The gifts of levels, coins or a free opening: each once, while the bets pay for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from peewee import JOIN, fn

from models.cases import Case
from models.rewards import LevelGift, Reward, RewardKind, RewardState
from models.users import User
from services.cases import values
from services.cases.values import CaseValue
from services.rewards.refusals import NothingToClaim, RewardNotFound
from services.rewards.rows import Offer
from services.rewards.shares import share_of
from services.shared.clock import Millis
from services.shared.levels import level_of
from services.shared.money import Cents


@dataclass(frozen=True, kw_only=True)
class Level:
    """The gift of a level. ``state`` is None while the player can not have it."""

    level: int
    coins: Cents | None
    state: RewardState | None
    case: str | None = None

    @property
    def id(self) -> str:
        """By which it is claimed, or named by an opening of its case."""
        return f"level-{self.level}"


class Had(NamedTuple):
    """What a level has given the player, or an opening has named."""

    state: RewardState
    cost: int
    coins: Cents | None
    case: str | None


def gifts_of(user: User, *, share_ppm: int) -> list[Level]:
    """All gifts, and what the player had for levels, the lowest level first."""
    had, cases = _had(user.id), values.cases_of_gifts()
    shown = {
        gift.level: Level(
            level=gift.level,
            coins=coins_of(gift),
            case=slug,
            state=RewardState.OFFERED if _is_offered(user, gift, had, cases, share_ppm=share_ppm) else None,
        )
        for gift, slug in gifts()
    }
    for level, each in had.items():
        if each.state != RewardState.OFFERED:
            shown[level] = Level(level=level, coins=each.coins, case=each.case, state=each.state)
    return [shown[level] for level in sorted(shown)]


def to_pay(user: User, level: int, *, share_ppm: int, now: Millis) -> Reward:
    """The reward of a claim now. Raises RewardNotFound, and NothingToClaim if no coins are offered."""
    gift = _offered(user, level, cases={}, share_ppm=share_ppm)
    return Reward(
        user=user.id, kind=RewardKind.LEVEL, number=level, coins_cents=gift.coins_cents, offered_at_ms=now
    )


def free_opening(user: User, level: int, *, share_ppm: int) -> Offer:
    """The free opening of a level. Raises RewardNotFound, and NothingToClaim if none is offered."""
    cases = values.cases_of_gifts()
    gift = _offered(user, level, cases=cases, share_ppm=share_ppm)
    if gift.case_id is None:
        raise NothingToClaim
    return Offer(kind=RewardKind.LEVEL, number=level, case=cases[gift.case_id])


def is_earned(user: User, level: int, cost: int, others: Mapping[int, int], *, share_ppm: int) -> bool:
    """Whether the player has the level, and the bets pay for this gift and those of other levels.

    ``others`` is what each of them has cost. A level can come from an operator (``flask users create
    --level``), and from cases with a lower house edge than the upgrader's.
    """
    given = sum(others.values()) + cost
    return level_of(user) >= level and given <= share_of(user.theoretical_loss_ucents, share_ppm)


def _offered(user: User, level: int, *, cases: Mapping[int, CaseValue], share_ppm: int) -> LevelGift:
    """The gift of a level. Raises RewardNotFound, and NothingToClaim if the player can not have it now.

    ``cases`` are those that can be opened, by the ids of their rows.
    """
    had = _had(user.id)
    if level in had and had[level].state != RewardState.OFFERED:
        raise NothingToClaim
    gift: LevelGift | None = LevelGift.get_or_none(LevelGift.level == level)
    if gift is None:
        raise RewardNotFound
    if not _is_offered(user, gift, had, cases, share_ppm=share_ppm):
        raise NothingToClaim
    return gift


def _is_offered(
    user: User,
    gift: LevelGift,
    had: Mapping[int, Had],
    cases: Mapping[int, CaseValue],
    *,
    share_ppm: int,
) -> bool:
    """Whether the player can have it now. A case that can't be opened comes back when it can."""
    cost: int | None = gift.coins_cents
    if gift.case_id is not None:
        cost = cases[gift.case_id].value_cents if gift.case_id in cases else None
    # An opening that has named a gift may be about to use it.
    others = {level: each.cost for level, each in had.items() if level != gift.level}
    return cost is not None and is_earned(user, gift.level, cost, others, share_ppm=share_ppm)


def gifts() -> list[tuple[LevelGift, str | None]]:
    """The gifts, each with the id of its case."""
    query: Any = LevelGift.select(LevelGift, Case.slug.alias("slug")).join(Case, JOIN.LEFT_OUTER).objects()
    return [(gift, gift.slug) for gift in query]


def coins_of(gift: LevelGift) -> Cents | None:
    """The coins of a gift; None for a free opening."""
    return None if gift.coins_cents is None else Cents(gift.coins_cents)


def _had(user_id: int) -> dict[int, Had]:
    """What each level has given the player, by level."""
    cost = fn.COALESCE(Reward.coins_cents, Reward.value_cents)
    rows: Any = (
        Reward.select(Reward.number, Reward.state, cost, Reward.coins_cents, Case.slug)
        .join(Case, JOIN.LEFT_OUTER)
        .where(Reward.user == user_id, Reward.kind == RewardKind.LEVEL)
    )
    return {
        level: Had(RewardState(state), cost, coins, case) for level, state, cost, coins, case in rows.tuples()
    }
