"""The bonus of a deposit: offered when the deposit is credited, paid when the player's bets have paid for it.

An open bonus is a promise. It is a row and no coins, so nothing is posted before it is paid, and nothing when
it is forfeited or expires. A player has at most one.

What counts is the expected win of the bets since the offer, not the sum of the wagers: a bet with a lower
house edge than the upgrader's counts that much less, a free opening nothing, and the seat of a battle when
the battle is settled. ``settings.py`` checks that ``BONUS_SHARE`` of the expected win pays for the bonus.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peewee import SQL

from models.db.connection import reading, writing
from models.payments import PaymentRecord
from models.rewards import OPEN_BONUS, Reward, RewardKind, RewardState
from models.users import PERMANENTLY, User
from services.accounts import notifications, users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.rewards import rows
from services.rewards.refusals import BonusWouldBeLost, NoBonus, NothingToClaim, RewardNotFound
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents, price_text
from services.shared.text import checked_reason
from settings import Settings

PPM = 1_000_000

SETTLED_AT_ONCE = 100

AVAILABLE = "available"
"""The state of the bonus that a player can take with a deposit."""

ENDED = {
    RewardState.FORFEITED: AuditEventType.REWARD_FORFEITED,
    RewardState.EXPIRED: AuditEventType.REWARD_EXPIRED,
}


@dataclass(frozen=True, kw_only=True)
class Bonus:
    """The player's open bonus, or the one that a deposit would have; the latter has no id."""

    percent: int
    max: Cents
    """Both of a bonus that is not offered yet."""
    id: str | None = None
    state: str = AVAILABLE
    amount: Cents | None = None
    wagered: Cents | None = None
    needed: Cents | None = None
    """Both as wagers at the upgrader's house edge."""
    ends_at: Millis | None = None


class Bonuses:
    """Offers bonuses, and pays or ends them."""

    def __init__(self, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self._percent = settings.bonus_percent
        self._max = Cents(settings.bonus_max_cents)
        self._wagering_ppm = settings.bonus_wagering_ppm
        self._days = settings.bonus_days
        self._edge_ppm = settings.upgrader_house_edge_ppm
        self._clock = clock

    def amount_of(self, credited: Cents) -> Cents:
        """The bonus of a deposit, down to the cent."""
        return Cents(min(credited * self._percent // 100, self._max))

    def needed_ucents(self, amount: Cents) -> int:
        """The expected win of the bets that pay for a bonus."""
        return -(-amount * self._wagering_ppm * self._edge_ppm // PPM)

    def check_available(self, user: User) -> None:
        """Raises NoBonus unless the player can take a bonus with a deposit."""
        if not self._is_available(user) or open_bonus(user.id) is not None:
            raise NoBonus

    def _is_available(self, user: User) -> bool:
        return bool(self._percent and user.deposit_bonus)

    def offer(self, payment: PaymentRecord, *, now: Millis) -> None:
        """Offer the bonus of a deposit that was taken with it, within the transaction that credits it.

        The crediting has locked the player's row. Nothing is offered, and the flag stays, to a player who may
        not play, and for less than a cent. Of several deposits the first one credited has the bonus.
        """
        user, amount = users.get_by_id(payment.user_id), self.amount_of(Cents(payment.usd_cents))
        is_due = amount > 0 and self._is_available(user) and rows.may_play(user, now=now)
        if not is_due or open_bonus(user.id) is not None:
            return
        User.update(deposit_bonus=False).where(User.id == user.id).execute()
        before = rows.newest_of(user.id, RewardKind.BONUS)
        reward: Reward = Reward.create(
            user=user.id,
            kind=RewardKind.BONUS,
            number=1 if before is None else before.number + 1,
            coins_cents=amount,
            state=RewardState.OFFERED,
            theoretical_loss_ucents=user.theoretical_loss_ucents,
            needed_ucents=self.needed_ucents(amount),
            payment=payment.id,
            offered_at_ms=now,
            changed_at_ms=now,
            expires_at_ms=now + self._days * DAY_MS,
        )
        offered = {"reward": reward.id, "payment": payment.id, "amountCents": amount}
        record(AuditEventType.BONUS_OFFERED, now=now, user_id=user.id, after=offered)

    def shown_to(self, user: User) -> Bonus | None:
        """The player's open bonus, else the one that a deposit would have, if there is one."""
        reward = open_bonus(user.id)
        if reward is None:
            return Bonus(percent=self._percent, max=self._max) if self._is_available(user) else None
        needed, missing = self._needed_and_missing(reward, user)
        return Bonus(
            percent=self._percent,
            max=self._max,
            id=str(reward.id),
            state=reward.state,
            amount=Cents(reward.coins_cents or 0),
            wagered=Cents(needed - missing),
            needed=needed,
            ends_at=Millis(reward.expires_at_ms or 0),
        )

    def _needed_and_missing(self, reward: Reward, user: User) -> tuple[Cents, Cents]:
        """The wagers that pay for the bonus, and those that are missing, at the upgrader's house edge."""
        edge, needed = self._edge_ppm or 1, reward.needed_ucents or 0
        missing = max(needed - _paid_by_bets(reward, user), 0)
        return Cents(-(-needed // edge)), Cents(-(-missing // edge))

    def before_withdrawal(self, user: User, *, forfeit: bool, now: Millis) -> None:
        """Pay the bonus of the locked player, or end it with ``forfeit``, before coins are withdrawn.

        A player on a break is not asked and keeps it. Raises BonusWouldBeLost.
        """
        reward = open_bonus(user.id)
        if reward is None or not rows.may_play(user, now=now) or _settle(reward, user, now=now):
            return
        if not forfeit:
            _, missing = self._needed_and_missing(reward, user)
            raise BonusWouldBeLost(amount=Cents(reward.coins_cents or 0), missing=missing)
        _end(reward, RewardState.FORFEITED, now=now, reason="withdrawal")

    def settle_due(self) -> None:
        """Pay the bonuses that bets have paid for, and end those whose days are over.

        A task of tasks/table.py calls it every few seconds. Of concurrent processes one settles each.
        """
        now = self._clock()
        with reading():
            due = [(reward.id, reward.user_id) for reward in _due(now)]
        for reward_id, user_id in due:
            with writing():
                user = users.lock(user_id)
                reward = open_bonus(user_id)
                if reward is not None and reward.id == reward_id:
                    _settle(reward, user, now=self._clock())


def open_bonus(user_id: int) -> Reward | None:
    """The player's open bonus."""
    found: Reward | None = Reward.select().where(Reward.user == user_id, SQL(OPEN_BONUS)).first()
    return found


def is_complete(reward: Reward, user: User) -> bool:
    """Whether the bets since the offer have paid for the bonus."""
    return _paid_by_bets(reward, user) >= (reward.needed_ucents or 0)


def check_complete(reward: Reward, user: User) -> None:
    """Raises NothingToClaim before the bets have paid for the bonus."""
    if not is_complete(reward, user):
        raise NothingToClaim


def end_open(user: User, *, reason: str, now: Millis) -> None:
    """End the open bonus of a locked player, if there is one. It is paid if bets have paid for it."""
    reward = open_bonus(user.id)
    if reward is not None and not _settle(reward, user, now=now):
        _end(reward, RewardState.FORFEITED, now=now, reason=reason)


def forfeit(*, user_id: int, reason: str, now: Millis) -> Reward:
    """End a player's open bonus, as staff do when its deposit was charged back.

    Raises RewardNotFound if there is none, UserNotFound, and Refusal for a bad reason.
    """
    reason = checked_reason(reason)
    with writing():
        users.lock(user_id)
        reward = open_bonus(user_id)
        if reward is None:
            raise RewardNotFound
        _end(reward, RewardState.FORFEITED, now=now, reason=reason)
        return reward


def _paid_by_bets(reward: Reward, user: User) -> int:
    """The expected win of the player's bets since the offer, in millionths of a cent."""
    return int(user.theoretical_loss_ucents - (reward.theoretical_loss_ucents or 0))


def _due(now: Millis) -> list[Reward]:
    """The open bonuses that may have to be paid or ended, except those of suspended players.

    On a break nothing is paid and no days end; a permanent exclusion ends the bonus.
    """
    is_paid_for = User.theoretical_loss_ucents - Reward.theoretical_loss_ucents >= Reward.needed_ucents
    can_play = User.excluded_until_ms.is_null() | (User.excluded_until_ms <= now)
    is_due = can_play & (is_paid_for | (Reward.expires_at_ms <= now))
    due: Any = Reward.select().join(User).where(SQL(OPEN_BONUS), User.suspended_at_ms.is_null())
    due = due.where(is_due | (User.excluded_until_ms == PERMANENTLY))
    # In the order of the index, so that no other rewards are read.
    return list(due.order_by(Reward.user).limit(SETTLED_AT_ONCE))


def _settle(reward: Reward, user: User, *, now: Millis) -> bool:
    """Pay or end an open bonus of a locked player if that is due; returns whether it is not open any more."""
    if user.excluded_until_ms == PERMANENTLY:
        _end(reward, RewardState.FORFEITED, now=now, reason="permanent exclusion")
    elif not rows.may_play(user, now=now):
        return False
    elif is_complete(reward, user):
        amount, _ = rows.pay(reward, now=now)
        _notify(reward, "Bonus paid", f"Your bonus of {price_text(amount)} is on your balance.", now)
    elif (reward.expires_at_ms or 0) <= now:
        _end(reward, RewardState.EXPIRED, now=now)
        ended = f"The days of your bonus of {price_text(Cents(reward.coins_cents or 0))} are over."
        _notify(reward, "Bonus ended", ended, now)
    else:
        return False
    return True


def _end(reward: Reward, state: RewardState, *, now: Millis, reason: str = "") -> None:
    """End an open bonus without paying it."""
    reward.state, reward.changed_at_ms = state, now
    reward.save()
    after = {"reward": reward.id, "kind": str(reward.kind), "amountCents": reward.coins_cents}
    record(ENDED[state], now=now, user_id=reward.user_id, after=after | because(reason))


def _notify(reward: Reward, title: str, message: str, now: Millis) -> None:
    notifications.notify(user_id=reward.user_id, title=title, message=message, now=now)
