"""Grants: what staff offer to a player, with a reason."""

from dataclasses import dataclass
from typing import Any

from models.db.connection import writing
from models.rewards import Reward, RewardKind, RewardState
from services.accounts import access, users
from services.audit_trail.actor import current_actor
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.rewards.rows import newest_of
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.shared.text import checked_reason

MAX_SHOWN = 100
"""How many grants a player is shown, the newest first."""


@dataclass(frozen=True, kw_only=True)
class Granted:
    """A grant of staff."""

    id: str
    kind: RewardKind
    coins: Cents | None
    state: RewardState
    expires_at: Millis | None
    case: str | None = None


def granted_to(user_id: int) -> list[Granted]:
    """The player's grants, the newest first."""
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


def grant(*, user_id: int, coins: Cents, reason: str, now: Millis) -> Reward:
    """Offer coins to a player; the actor is stored as who granted them.

    A player on a break can claim them afterwards. Raises UserNotFound, AccountClosed, and Refusal for less
    than a cent or a bad reason.
    """
    reason = checked_reason(reason)
    if coins <= 0:
        raise Refusal("the amount must be above 0")
    with writing():
        access.check_not_closed(users.lock(user_id))
        before = newest_of(user_id, RewardKind.GRANT)
        reward: Reward = Reward.create(
            user=user_id,
            kind=RewardKind.GRANT,
            number=1 if before is None else before.number + 1,
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
