"""Breaks and self-exclusion: until then, every bet of the player is refused when it is settled."""

from datetime import UTC, datetime

from models.db.connection import writing
from models.rewards import postpone_bonus
from models.users import PERMANENTLY, User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Refusal

PERMANENT = "permanent"
DURATIONS_MS = {"24h": DAY_MS} | {f"{days}d": days * DAY_MS for days in (7, 30, 180, 365, 1825)}
DURATIONS = (*DURATIONS_MS, PERMANENT)

Exclusion = dict[str, Millis | None]
"""``until``: the end of a break, None for a permanent exclusion."""


class TakingABreak(Refusal):
    """The player has asked for a break, which is not over."""

    status = 403
    text = "You are taking a break"

    def __init__(self, *, until: Millis) -> None:
        end = datetime.fromtimestamp(until / 1000, UTC)
        super().__init__(f"{type(self).text} until {end:%Y-%m-%dT%H:%M:%SZ}")


class ExcludedPermanently(Refusal):
    """The player has excluded themselves for ever."""

    status = 403
    text = "You have excluded yourself permanently"


def current(user: User, *, now: Millis) -> Exclusion | None:
    """The player's break; None if there is none, or it is over."""
    until = user.excluded_until_ms
    if until is None or until <= now:
        return None
    return _exclusion(until)


def check_none(user: User, *, now: Millis) -> None:
    """Raises TakingABreak or ExcludedPermanently, which say until when, if the player is on a break."""
    until = user.excluded_until_ms
    if until is not None and until > now:
        raise refusal(until)


def is_permanent(user: User) -> bool:
    """Whether the player is excluded for ever."""
    return bool(user.excluded_until_ms == PERMANENTLY)


def refusal(until: int) -> TakingABreak | ExcludedPermanently:
    """The refusal of a player whose break ends then."""
    return ExcludedPermanently() if until == PERMANENTLY else TakingABreak(until=Millis(until))


def exclude(*, user_id: int, duration: str, now: Millis, reason: str = "") -> Exclusion:
    """Refuse the player's bets for one of DURATIONS from now, up to the next whole second.

    A permanent exclusion also ends the deadline of the vault; a break moves the end of an open bonus by as
    much as it lasts. The same end again changes nothing. Concurrent
    requests take turns, so the latest end remains. Raises UserNotFound, and Refusal for one
    that ends earlier.
    """
    until = PERMANENTLY if duration == PERMANENT else _whole_second(now + DURATIONS_MS[duration])
    with writing():
        # One that is over ends before the new one.
        user = users.lock(user_id)
        current = user.excluded_until_ms or 0
        if until < current:
            raise Refusal("A break can only be made longer")
        if until > current:
            changed = {"excluded_until_ms": until}
            if until == PERMANENTLY and user.vault_deadline_ms is not None:
                changed["vault_deadline_ms"] = min(user.vault_deadline_ms, now)
            User.update(changed).where(User.id == user_id).execute()
            if until != PERMANENTLY:
                postpone_bonus(user_id, by_ms=until - max(current, now))
            is_extended = current > now
            record(
                AuditEventType.EXCLUSION_EXTENDED if is_extended else AuditEventType.EXCLUSION_BEGUN,
                now=now,
                user_id=user_id,
                before=_exclusion(current) if is_extended else None,
                after=_exclusion(until) | because(reason),
            )
    return _exclusion(until)


def _exclusion(until: int) -> Exclusion:
    return {"until": None if until == PERMANENTLY else Millis(until)}


def _whole_second(at: int) -> int:
    """The time in ms, rounded up: the refusal of a bet shows whole seconds."""
    return -(-at // 1000) * 1000
