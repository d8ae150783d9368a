"""Free openings: rewards with a case, which an opening that names one uses once.

What a rule offers (of a level, of the day, of a promo code) gets its row when an opening names it. The
settlement of the opening turns the row from ``offered`` to ``used``, guarded by player and case.
"""

import re
from collections.abc import Callable

from models.db.connection import writing
from models.rewards import Reward, RewardKind, RewardState
from models.users import User
from services.accounts import users
from services.cases import values
from services.cases.kinds import FREE_CASE_ID
from services.cases.values import CaseValue
from services.rewards import level_gifts, rows
from services.rewards.daily import DAILY_ID, Daily
from services.rewards.refusals import FreeCaseNotAvailable, NothingToClaim, RewardForAnotherCase
from services.rewards.rows import Offer
from services.shared.clock import Millis
from services.shared.errors import Refusal
from settings import Settings

CODE_ID = "code"
"""By which an opening of the free case names the one of the promo code, if it names any."""
LEVEL_ID = re.compile(r"level-([1-9][0-9]{0,4})", re.ASCII)


class FreeOpenings:
    """Finds the rewards that openings name."""

    def __init__(self, settings: Settings, *, daily: Daily, clock: Callable[[], Millis]) -> None:
        self._free_case_limit = settings.free_case_limit
        self._level_share_ppm = settings.level_share_ppm
        self._daily = daily
        self._clock = clock

    def find(self, name: str, *, user_id: int, case_id: int) -> int:
        """The id of the reward with which the player can open the case with this row.

        Raises RewardNotFound, NothingToClaim if it is used, expired, not offered now or has coins,
        FreeCaseNotAvailable in its place for the one of a promo code, and RewardForAnotherCase;
        CaseNotFound and CaseNotAvailable if the case of the reward can't be opened now.
        """
        with writing():
            user, now = users.lock(user_id), self._clock()
            offer = self._offer(name, user, now=now)
            if offer is None:
                reward = _granted(name, user_id=user_id, now=now)
            else:
                reward = rows.add(offer, user_id=user_id, now=now)
            if reward.case_id != case_id:
                raise RewardForAnotherCase
            return int(reward.id)

    def _offer(self, name: str, user: User, *, now: Millis) -> Offer | None:
        """What a rule offers under this name; None for a name that no rule has."""
        if name == DAILY_ID:
            return self._daily.offer(user, now=now)
        if name == CODE_ID:
            return of_code(user, limit=self._free_case_limit)
        if level := LEVEL_ID.fullmatch(name):
            return level_gifts.free_opening(user, int(level[1]), share_ppm=self._level_share_ppm)
        return None


def case_to_give(slug: str) -> CaseValue:
    """The case of a grant or of a level, as it is now. Raises CaseNotFound, CaseNotAvailable, Refusal."""
    case = values.value_of(slug)
    if slug == FREE_CASE_ID:
        raise Refusal("the free case belongs to promo codes")
    if not case.value_cents:
        raise Refusal("the case pays nothing")
    return case


def can_open_free_case(user: User, *, limit: int) -> bool:
    """Whether the promo code that the player uses still gives an opening of the free case."""
    return user.used_affiliate_code is not None and user.free_cases < limit


def of_code(user: User, *, limit: int) -> Offer:
    """The next opening of the free case. Raises FreeCaseNotAvailable, CaseNotFound, CaseNotAvailable."""
    if not can_open_free_case(user, limit=limit):
        raise FreeCaseNotAvailable
    return Offer(kind=RewardKind.CODE, number=user.free_cases + 1, case=values.value_of(FREE_CASE_ID))


def _granted(reward_id: str, *, user_id: int, now: Millis) -> Reward:
    """The grant with this id, if it is a free opening. Raises RewardNotFound, NothingToClaim."""
    reward = rows.find(reward_id, user_id=user_id)
    is_opening = reward.kind == RewardKind.GRANT and reward.case_id is not None
    is_expired = reward.expires_at_ms is not None and reward.expires_at_ms <= now
    if not is_opening or is_expired or reward.state != RewardState.OFFERED:
        raise NothingToClaim
    return reward


def refusal_of_use(reward_id: int) -> Refusal:
    """Why an opening could not use a reward that was found for it: something else has changed it."""
    kind = Reward.select(Reward.kind).where(Reward.id == reward_id).scalar()
    return FreeCaseNotAvailable() if kind == RewardKind.CODE else NothingToClaim()
