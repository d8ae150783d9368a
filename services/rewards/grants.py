"""Grants: what staff offer to a player, with a reason. The free case of a promo code is shown with them."""

from dataclasses import dataclass
from typing import Any

from peewee import JOIN

from models.cases import Case
from models.db.connection import writing
from models.rewards import Reward, RewardKind, RewardState
from services.accounts import access, users
from services.audit_trail.actor import current_actor
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.cases.kinds import FREE_CASE_ID
from services.cases.values import CaseValue
from services.rewards.free_openings import CODE_ID
from services.rewards.rows import newest_of
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.shared.text import checked_reason

MAX_SHOWN = 100
"""How many grants a player is shown, the newest first; and how many openings of the free case."""


@dataclass(frozen=True, kw_only=True)
class Granted:
    """A grant of staff, or an opening of the free case."""

    id: str
    kind: RewardKind
    coins: Cents | None
    state: RewardState
    expires_at: Millis | None
    case: str | None = None


def granted_to(user_id: int, *, has_free_case: bool) -> list[Granted]:
    """The player's grants, the newest first, then the free case: its next opening, and the last ones."""
    free_case = Granted(
        id=CODE_ID,
        kind=RewardKind.CODE,
        coins=None,
        state=RewardState.OFFERED,
        expires_at=None,
        case=FREE_CASE_ID,
    )
    is_used = Reward.state == RewardState.USED
    return [
        *_rows(user_id, Reward.kind == RewardKind.GRANT),
        *([free_case] if has_free_case else []),
        *_rows(user_id, (Reward.kind == RewardKind.CODE) & is_used),
    ]


def _rows(user_id: int, condition: Any) -> list[Granted]:
    of_player: Any = (
        Reward.select(Reward, Case.slug.alias("slug"))
        .join(Case, JOIN.LEFT_OUTER)
        .where(Reward.user == user_id, condition)
        .order_by(Reward.number.desc())
        .limit(MAX_SHOWN)
    )
    return [
        Granted(
            id=str(reward.id),
            kind=RewardKind(reward.kind),
            coins=reward.coins_cents,
            case=reward.slug,
            state=RewardState(reward.state),
            expires_at=reward.expires_at_ms,
        )
        for reward in of_player.objects()
    ]


def grant(
    *, user_id: int, reason: str, now: Millis, coins: Cents | None = None, case: CaseValue | None = None
) -> Reward:
    """Offer coins, or an opening of a case, to a player; the actor is stored as who granted it.

    A player on a break can claim or use it afterwards. Raises UserNotFound, AccountClosed, and Refusal for
    less than a cent or a bad reason.
    """
    reason = checked_reason(reason)
    columns: dict[str, Any] = {"coins_cents": coins}
    shown: dict[str, Any] = {"amountCents": coins}
    if case is not None:
        columns = {"case": case.row_id, "value_cents": case.value_cents}
        shown = {"case": case.slug, "amountCents": case.value_cents}
    elif coins is None or coins <= 0:
        raise Refusal("the amount must be above 0")
    with writing():
        access.check_not_closed(users.lock(user_id))
        before = newest_of(user_id, RewardKind.GRANT)
        reward: Reward = Reward.create(
            user=user_id,
            kind=RewardKind.GRANT,
            number=1 if before is None else before.number + 1,
            state=RewardState.OFFERED,
            offered_at_ms=now,
            changed_at_ms=now,
            granted_by=current_actor.get().who,
            reason=reason,
            **columns,
        )
        granted = {"reward": reward.id, **shown, "reason": reason}
        record(AuditEventType.REWARD_GRANTED, now=now, user_id=user_id, after=granted)
        return reward
