"""The daily free opening: the best level case that a share of the last seven days' expected win pays for."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.cases import Case
from models.rewards import Reward, RewardKind, RewardState
from models.users import User
from services.cases import values
from services.cases.values import CaseValue
from services.rewards.expected_wins import DAYS, ExpectedWins
from services.rewards.refusals import NothingToClaim
from services.rewards.rows import Offer
from services.rewards.shares import UCENTS_PPM
from services.shared.clock import DAY_MS, Millis
from services.shared.levels import level_of
from services.shared.money import Cents
from settings import Settings

DAILY_ID = "daily"
"""By which an opening names it."""


@dataclass(frozen=True, kw_only=True)
class DailyOpening:
    """The free opening of this UTC day. ``state`` is None without one."""

    case: str | None
    state: RewardState | None
    available_at: Millis
    """When the next day begins."""
    needed: Cents | None
    """The wagers that are missing for one on that day; None while the player can open no level case."""
    id: str = DAILY_ID


class Daily:
    """One free opening each UTC day, which is not kept for the next one.

    The case is one of those that the player could open for coins: a level case on sale whose level the
    player has. What it pays on average is at most ``DAILY_SHARE`` of the expected win of the seven days
    before, divided by seven. So all daily openings together cost at most this share.
    """

    def __init__(self, settings: Settings) -> None:
        self._share_ppm = settings.daily_share_ppm
        self._house_edge_ppm = settings.upgrader_house_edge_ppm
        self._wins = ExpectedWins()

    def offer(self, user: User, *, now: Millis) -> Offer:
        """What the player can open today. Raises NothingToClaim, also if it was used."""
        best = self._best(user, now=now)
        if best is None:
            raise NothingToClaim
        today = now // DAY_MS
        expires_at = Millis((today + 1) * DAY_MS)
        return Offer(kind=RewardKind.DAILY, number=today, case=best, expires_at=expires_at)

    def shown(self, user: User, *, now: Millis) -> DailyOpening | None:
        """What the player is shown; None without a ``DAILY_SHARE``."""
        if not self._share_ppm:
            return None
        used, best = _used_on(user.id, now // DAY_MS), self._best(user, now=now)
        offered = None if best is None else best.slug
        return DailyOpening(
            case=used or offered,
            state=RewardState.USED if used else RewardState.OFFERED if offered else None,
            available_at=Millis((now // DAY_MS + 1) * DAY_MS),
            needed=self._needed_for_tomorrow(user, now=now),
        )

    def _best(self, user: User, *, now: Millis) -> CaseValue | None:
        if not self._share_ppm:
            return None
        most = most_for(self._wins.of_last_days(user.id, now=now), share_ppm=self._share_ppm)
        fitting = [case for case in _cases_of(user) if case.value_cents <= most] if most else []
        return max(fitting, key=lambda case: (case.value_cents, case.row_id), default=None)

    def _needed_for_tomorrow(self, user: User, *, now: Millis) -> Cents | None:
        cheapest = min((case.value_cents for case in _cases_of(user)), default=None)
        if cheapest is None or not self._house_edge_ppm:
            return None
        missing = -(-cheapest * DAYS * UCENTS_PPM // self._share_ppm)
        missing -= sum(self._wins.of_last_days(user.id, now=now)[1:])
        if missing > 0:
            missing -= self._wins.of_today(user, now=now)
        return Cents(-(-max(missing, 0) // self._house_edge_ppm))


def most_for(wins_ucents: Sequence[int], *, share_ppm: int) -> Cents:
    """What a daily opening may pay on average after days with these expected wins."""
    return Cents(sum(wins_ucents) * share_ppm // (DAYS * UCENTS_PPM))


def _cases_of(user: User) -> list[CaseValue]:
    """The level cases that the player can open. One that pays nothing is none."""
    level = level_of(user)
    return [case for case in values.level_cases() if case.required_level <= level and case.value_cents]


def _used_on(user_id: int, day: int) -> str | None:
    """The id of the case that the player has opened for free on this day."""
    of_day = (Reward.user == user_id) & (Reward.kind == RewardKind.DAILY) & (Reward.number == day)
    used = Reward.select(Case.slug).join(Case).where(of_day, Reward.state == RewardState.USED)
    slug: str | None = used.scalar()
    return slug
