"""The rows of rewards: reading them, paying them, and adding those that a rule offers."""

import re
from dataclasses import dataclass
from typing import Any

from models.db.connection import reading
from models.rewards import Reward, RewardKind, RewardState
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.cases.values import CaseValue
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions
from services.rewards.refusals import NothingToClaim, RewardNotFound
from services.shared.clock import Millis
from services.shared.money import Cents

ROW_ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A free opening that a rule gives now. It has no row before an opening names it."""

    kind: RewardKind
    number: int
    case: CaseValue
    expires_at: Millis | None = None


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


def find(reward_id: str, *, user_id: int) -> Reward:
    """The player's reward with this id. Raises RewardNotFound."""
    row_id = int(reward_id) if ROW_ID.fullmatch(reward_id) else 0
    reward: Reward | None = Reward.get_or_none(Reward.id == row_id, Reward.user == user_id)
    if reward is None:
        raise RewardNotFound
    return reward


def add(offer: Offer, *, user_id: int, now: Millis) -> Reward:
    """The row of an offer, added or brought up to date, for a player who is locked.

    Raises NothingToClaim if it was used.
    """
    case = {"case_id": offer.case.row_id, "value_cents": offer.case.value_cents}
    same = (Reward.user == user_id) & (Reward.kind == offer.kind) & (Reward.number == offer.number)
    reward: Reward | None = Reward.get_or_none(same)
    if reward is None:
        reward = Reward(
            user=user_id,
            kind=offer.kind,
            number=offer.number,
            state=RewardState.OFFERED,
            offered_at_ms=now,
            changed_at_ms=now,
            expires_at_ms=offer.expires_at,
            **case,
        )
        reward.save()
    elif reward.state != RewardState.OFFERED:
        raise NothingToClaim
    elif (reward.case_id, reward.value_cents) != tuple(case.values()):
        Reward.update(case).where(Reward.id == reward.id).execute()
    reward.case_id = offer.case.row_id
    return reward


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
