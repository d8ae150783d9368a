"""What a player is shown of rewards, and claiming them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.db.connection import repeatable_read, writing
from models.rewards import RewardKind, RewardState
from models.users import User
from services.accounts import access, users
from services.limits import exclusions
from services.rewards import bonuses, grants, level_gifts, rakeback, rows
from services.rewards.bonuses import Bonus, Bonuses
from services.rewards.daily import Daily, DailyOpening
from services.rewards.free_openings import LEVEL_ID, FreeOpenings, can_open_free_case
from services.rewards.grants import Granted
from services.rewards.level_gifts import Level
from services.rewards.rakeback import Rakeback
from services.rewards.refusals import NothingToClaim
from services.rewards.rows import may_play, newest_of, pay
from services.shared.clock import Millis
from services.shared.money import Cents
from settings import Settings


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What a player is shown. All of it is empty for one who may not play."""

    rakeback: Rakeback | None = None
    levels: Sequence[Level] = ()
    daily: DailyOpening | None = None
    bonus: Bonus | None = None
    granted: Sequence[Granted] = ()


NOTHING = Overview()


class Rewards:
    """Shows and pays rewards."""

    def __init__(self, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self._rakeback_rate_ppm = settings.rakeback_rate_ppm
        self._level_share_ppm = settings.level_share_ppm
        self._free_case_limit = settings.free_case_limit
        self.bonuses = Bonuses(settings, clock=clock)
        self._daily = Daily(settings)
        self._clock = clock
        self.free_openings = FreeOpenings(settings, daily=self._daily, clock=clock)

    def overview(self, user_id: int) -> Overview:
        """What the player can claim, and has claimed, all of one moment. Raises UserNotFound."""
        with repeatable_read(within_limit=True):
            user = users.get_by_id(user_id)
            now = self._clock()
            if not may_play(user, now=now):
                return NOTHING
            last_rakeback = newest_of(user_id, RewardKind.RAKEBACK)
            return Overview(
                rakeback=rakeback.rakeback_of(user, last_rakeback, rate_ppm=self._rakeback_rate_ppm),
                levels=level_gifts.gifts_of(user, share_ppm=self._level_share_ppm),
                daily=self._daily.shown(user, now=now),
                bonus=self.bonuses.shown_to(user),
                granted=grants.granted_to(
                    user_id, has_free_case=can_open_free_case(user, limit=self._free_case_limit)
                ),
            )

    def claim_rakeback(self, *, user_id: int) -> tuple[Cents, User]:
        """Pay the rakeback; returns the amount, and the player after that.

        The lock of the player's row makes concurrent claims take turns, so one pays. Raises NothingToClaim,
        and what refuses the player's bets.
        """
        with writing():
            user, now = self._lock_to_pay(user_id)
            last = newest_of(user_id, RewardKind.RAKEBACK)
            return pay(rakeback.to_pay(user, last, rate_ppm=self._rakeback_rate_ppm, now=now), now=now)

    def claim(self, *, user_id: int, reward_id: str) -> tuple[Cents, User]:
        """Pay a gift of a level, a grant or a bonus; returns the amount, and the player after that.

        One of several concurrent claims pays. Raises RewardNotFound, NothingToClaim if it is not offered, a
        free opening, or a bonus that bets have not paid for, and what refuses the player's bets.
        """
        with writing():
            user, now = self._lock_to_pay(user_id)
            if of_level := LEVEL_ID.fullmatch(reward_id):
                share_ppm = self._level_share_ppm
                return pay(level_gifts.to_pay(user, int(of_level[1]), share_ppm=share_ppm, now=now), now=now)
            reward = rows.find(reward_id, user_id=user_id)
            if reward.state != RewardState.OFFERED or reward.coins_cents is None:
                raise NothingToClaim
            if reward.kind == RewardKind.BONUS:
                bonuses.check_complete(reward, user)
            return pay(reward, now=now)

    def _lock_to_pay(self, user_id: int) -> tuple[User, Millis]:
        """The locked player, and the time after the wait. Raises what refuses the player's bets."""
        user, now = users.lock(user_id), self._clock()
        access.check_not_suspended(user)
        exclusions.check_none(user, now=now)
        return user, now
