"""The rows of rewards: reading and paying them."""

from typing import Any

from models.db.connection import reading
from models.rewards import Reward, RewardKind, RewardState
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions
from services.shared.clock import Millis
from services.shared.money import Cents


def may_play(user: User, *, now: Millis) -> bool:
    """Whether the player is shown, offered and paid rewards: not suspended, excluded or on a break."""
    return user.suspended_at_ms is None and exclusions.current(user, now=now) is None


@reading()
def changed_since(at: Millis, *, most: int) -> list[Reward]:
    """The rewards that have changed since then, oldest change first."""
    changed: Any = Reward.select().where(Reward.changed_at_ms >= at)
    return list(changed.order_by(Reward.changed_at_ms, Reward.id).limit(most))


def newest_of(user_id: int, kind: RewardKind) -> Reward | None:
    """The player's reward of this kind with the highest number."""
    of_kind = Reward.select().where(Reward.user == user_id, Reward.kind == kind)
    newest: Reward | None = of_kind.order_by(Reward.number.desc()).first()
    return newest


def pay(reward: Reward, *, now: Millis) -> tuple[Cents, User]:
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
