"""Rewards of players: rakeback, the gifts of levels, and grants of staff.

What the house gives is a share of what it expects to win with the player's bets (``settings.py`` checks the
sum of all shares), never of what somebody has lost or deposited. So neither several accounts nor timing nor
luck make it an income. The expected win of a player's bets is ``users.theoretical_loss_ucents``, which each
bet adds to, and which free openings leave as it is.

A reward that is claimed at once, such as rakeback, has a row from then on; one that waits for the player has
a row from its offer on.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from peewee import fn

from models.db.connection import reading, repeatable_read, writing
from models.rewards import LevelGift, Reward, RewardKind, RewardState
from models.users import User
from services.accounts import access, users
from services.audit_trail.actor import current_actor
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions
from services.shared.clock import MINUTE_MS, Millis
from services.shared.errors import Refusal
from services.shared.levels import level_of
from services.shared.money import Cents
from services.shared.text import checked_reason
from settings import Settings

UCENTS_PPM = 10**12
"""A cent in millionths of millionths: of an expected win, times a share in millionths."""

RAKEBACK_EVERY_MS = 60 * MINUTE_MS

MAX_SHOWN = 100
"""How many grants a player is shown, the newest first."""

LEVEL_ID = re.compile(r"level-([1-9][0-9]{0,4})", re.ASCII)
ROW_ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


class NothingToClaim(Refusal):
    """Less than a cent, too early, or claimed before."""

    text = "There is nothing to claim"


class RewardNotFound(Refusal):
    """No reward has this id, or it is another player's."""

    status = 404
    text = "Reward not found"


def share_of(expected_win_ucents: int, share_ppm: int) -> Cents:
    """A share of an expected win, down to the cent."""
    return Cents(expected_win_ucents * share_ppm // UCENTS_PPM)


@dataclass(frozen=True, kw_only=True)
class Rakeback:
    """What the player can claim for the bets since the last claim."""

    available: Cents
    rate_ppm: int
    claimable_at: Millis | None
    """An hour after the last claim; None before the first one."""

    def can_be_claimed(self, now: Millis) -> bool:
        return self.available > 0 and (self.claimable_at is None or self.claimable_at <= now)


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


@dataclass(frozen=True, kw_only=True)
class Granted:
    """A grant of staff."""

    id: str
    kind: RewardKind
    coins: Cents | None
    state: RewardState
    expires_at: Millis | None
    case: str | None = None


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What a player is shown. All of it is empty for one who may not play."""

    rakeback: Rakeback | None = None
    levels: Sequence[Level] = ()
    daily: None = None
    bonus: None = None
    granted: Sequence[Granted] = ()


NOTHING = Overview()


class Rewards:
    """Shows, pays and grants rewards."""

    def __init__(self, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self._rakeback_rate_ppm = settings.rakeback_rate_ppm
        self._level_share_ppm = settings.level_share_ppm
        self._clock = clock

    def overview(self, user_id: int) -> Overview:
        """What the player can claim, and has claimed, all of one moment. Raises UserNotFound."""
        with repeatable_read(within_limit=True):
            user = users.get_by_id(user_id)
            if not _may_play(user, now=self._clock()):
                return NOTHING
            return Overview(
                rakeback=self._rakeback(user, _last_rakeback(user_id)),
                levels=self._levels(user),
                granted=_granted(user_id),
            )

    def claim_rakeback(self, *, user_id: int) -> tuple[Cents, User]:
        """Pay the rakeback; returns the amount, and the player after that.

        The lock of the player's row makes concurrent claims take turns, so one pays. Raises NothingToClaim,
        and what refuses the player's bets.
        """
        with writing():
            user, now = self._lock_to_pay(user_id)
            last = _last_rakeback(user_id)
            found = self._rakeback(user, last)
            if not found.can_be_claimed(now):
                raise NothingToClaim
            reward = Reward(
                user=user_id,
                kind=RewardKind.RAKEBACK,
                number=1 if last is None else last.number + 1,
                coins_cents=found.available,
                theoretical_loss_ucents=user.theoretical_loss_ucents,
                offered_at_ms=now,
            )
            return _pay(reward, now=now)

    def claim(self, *, user_id: int, reward_id: str) -> tuple[Cents, User]:
        """Pay a gift of a level, or a grant; returns the amount, and the player after that.

        One of several concurrent claims pays. Raises RewardNotFound, NothingToClaim if it is not offered, and
        what refuses the player's bets.
        """
        with writing():
            user, now = self._lock_to_pay(user_id)
            if of_level := LEVEL_ID.fullmatch(reward_id):
                return _pay(self._gift(user, int(of_level[1]), now=now), now=now)
            row_id = int(reward_id) if ROW_ID.fullmatch(reward_id) else 0
            reward: Reward | None = Reward.get_or_none(Reward.id == row_id, Reward.user == user_id)
            if reward is None:
                raise RewardNotFound
            if reward.state != RewardState.OFFERED:
                raise NothingToClaim
            return _pay(reward, now=now)

    def grant(self, *, user_id: int, coins: Cents, reason: str, now: Millis) -> Reward:
        """Offer coins to a player; the actor is stored as who granted them.

        A player on a break can claim them afterwards. Raises UserNotFound, and Refusal for less than a cent
        or a bad reason.
        """
        reason = checked_reason(reason)
        if coins <= 0:
            raise Refusal("the amount must be above 0")
        with writing():
            access.check_not_closed(users.lock(user_id))
            newest: Any = Reward.select(fn.MAX(Reward.number))
            before = newest.where(Reward.user == user_id, Reward.kind == RewardKind.GRANT).scalar() or 0
            reward: Reward = Reward.create(
                user=user_id,
                kind=RewardKind.GRANT,
                number=before + 1,
                coins_cents=coins,
                state=RewardState.OFFERED,
                offered_at_ms=now,
                changed_at_ms=now,
                granted_by=current_actor.get().who,
                reason=reason,
            )
            granted = {"reward": reward.id, "amountCents": coins, "reason": reason}
            record(AuditEventType.REWARD_GRANTED, now=now, user_id=user_id, after=granted)
            return reward

    def _lock_to_pay(self, user_id: int) -> tuple[User, Millis]:
        """The locked player, and the time after the wait. Raises what refuses the player's bets."""
        user, now = users.lock(user_id), self._clock()
        access.check_not_suspended(user)
        exclusions.check_none(user, now=now)
        return user, now

    def _rakeback(self, user: User, last: Reward | None) -> Rakeback:
        paid_up_to = 0 if last is None else last.theoretical_loss_ucents or 0
        return Rakeback(
            available=share_of(user.theoretical_loss_ucents - paid_up_to, self._rakeback_rate_ppm),
            rate_ppm=self._rakeback_rate_ppm,
            claimable_at=None if last is None else Millis(last.changed_at_ms + RAKEBACK_EVERY_MS),
        )

    def _levels(self, user: User) -> list[Level]:
        """All gifts, and what the player was paid for levels, the lowest level first."""
        had = _gifts_of(user.id)
        shown = {
            gift.level: Level(
                level=gift.level,
                coins=Cents(gift.coins_cents),
                state=RewardState.OFFERED
                if self._is_earned(user, gift.level, gift.coins_cents, had)
                else None,
            )
            for gift in LevelGift.select()
        } | {
            level: Level(level=level, coins=Cents(coins), state=RewardState.CLAIMED)
            for level, coins in had.items()
        }
        return [shown[level] for level in sorted(shown)]

    def _gift(self, user: User, level: int, *, now: Millis) -> Reward:
        """The gift of a level, to be paid. Raises RewardNotFound, and NothingToClaim if it is not offered."""
        had = _gifts_of(user.id)
        if level in had:
            raise NothingToClaim
        gift: LevelGift | None = LevelGift.get_or_none(LevelGift.level == level)
        if gift is None:
            raise RewardNotFound
        if not self._is_earned(user, level, gift.coins_cents, had):
            raise NothingToClaim
        return Reward(
            user=user.id, kind=RewardKind.LEVEL, number=level, coins_cents=gift.coins_cents, offered_at_ms=now
        )

    def _is_earned(self, user: User, level: int, coins: int, had: dict[int, int]) -> bool:
        """Whether the player has the level, and the bets pay for this gift and those before it.

        A level can come from an operator (``flask users create --level``), and from cases with a lower house
        edge than the upgrader's.
        """
        given = sum(had.values()) + coins
        return level_of(user) >= level and given <= share_of(
            user.theoretical_loss_ucents, self._level_share_ppm
        )


@reading()
def changed_since(at: Millis, *, most: int) -> list[Reward]:
    """The rewards that have changed since then, oldest change first."""
    changed: Any = Reward.select().where(Reward.changed_at_ms >= at)
    return list(changed.order_by(Reward.changed_at_ms, Reward.id).limit(most))


def _may_play(user: User, *, now: Millis) -> bool:
    return user.suspended_at_ms is None and exclusions.current(user, now=now) is None


def _last_rakeback(user_id: int) -> Reward | None:
    of_player = Reward.select().where(Reward.user == user_id, Reward.kind == RewardKind.RAKEBACK)
    last: Reward | None = of_player.order_by(Reward.number.desc()).first()
    return last


def _gifts_of(user_id: int) -> dict[int, int]:
    """What was paid to the player for each level."""
    paid: Any = Reward.select(Reward.number, Reward.coins_cents)
    return dict(paid.where(Reward.user == user_id, Reward.kind == RewardKind.LEVEL).tuples())


def _granted(user_id: int) -> list[Granted]:
    of_player: Any = Reward.select().where(Reward.user == user_id, Reward.kind == RewardKind.GRANT)
    return [
        Granted(
            id=str(reward.id),
            kind=RewardKind(reward.kind),
            coins=reward.coins_cents,
            state=RewardState(reward.state),
            expires_at=reward.expires_at_ms,
        )
        for reward in of_player.order_by(Reward.number.desc()).limit(MAX_SHOWN)
    ]


def _pay(reward: Reward, *, now: Millis) -> tuple[Cents, User]:
    """Pay a reward to its player, who is locked; returns the amount, and the player after that."""
    amount, user_id = Cents(reward.coins_cents or 0), reward.user_id
    move = Move(amount, Account.HOUSE_REWARDS, Account.BALANCE)
    reward.ledger_transaction_id = posting.post(
        kind=LedgerKind.REWARD, user_id=user_id, moves=[move], now=now
    )
    reward.state, reward.changed_at_ms = RewardState.CLAIMED, now
    reward.save()
    claimed = {"reward": reward.id, "kind": str(reward.kind), "amountCents": amount}
    record(AuditEventType.REWARD_CLAIMED, now=now, user_id=user_id, after=claimed)
    return amount, users.get_by_id(user_id)
