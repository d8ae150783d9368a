"""A player's own limits: a lower one counts at once, a higher one after a day and a confirmation.

A limit is a column of the player's row. Every bet compares its wager and loss limits and updates the row
(models/limits.py). Each change locks this row first, so a bet that is settled at the same time comes
before the change or after it. Deposit limits are compared in services/payments/deposits.py.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from models.db.connection import repeatable_read, writing
from models.limits import BET_LIMIT_KINDS, EXPIRES_AFTER_MS, PERIODS, LimitRequest
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.limits import exclusions
from services.limits.exclusions import Exclusion
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents

ByPeriod = dict[str, Cents | None]
"""Cents by ``day``, ``week`` and ``month``, None for no limit."""


@dataclass(frozen=True)
class Limit:
    """One of a player's nine limits: a kind of LIMIT_KINDS and a period of PERIODS."""

    kind: str
    period: str

    @property
    def column(self) -> str:
        return f"{self.period}_{self.kind}_limit_cents"

    def of(self, user: User) -> Cents | None:
        """The player's limit; None for no limit."""
        limit: Cents | None = getattr(user, self.column)
        return limit

    def described(self, value: int | None) -> dict[str, Any]:
        """This limit at a value in cents, for the audit trail."""
        return {"kind": self.kind, "period": self.period, "valueCents": value}


@dataclass(frozen=True)
class Limits:
    """A player's limits, the requests to raise them, and the break."""

    wager: ByPeriod
    loss: ByPeriod
    deposit: ByPeriod
    pending: list[LimitRequest]
    exclusion: Exclusion | None


def of_player(user_id: int, *, now: Millis) -> Limits:
    """The player's limits, with the requests that have not expired. Raises UserNotFound."""
    with repeatable_read(within_limit=True):
        user = users.get_by_id(user_id)
        is_recent = LimitRequest.requested_at_ms > now - EXPIRES_AFTER_MS
        requests = LimitRequest.select().where(LimitRequest.user == user_id, is_recent)
        pending = list(requests.order_by(LimitRequest.requested_at_ms, LimitRequest.id))
    return Limits(
        wager=_by_period(user, "wager"),
        loss=_by_period(user, "loss"),
        deposit=_by_period(user, "deposit"),
        pending=pending,
        exclusion=exclusions.current(user, now=now),
    )


def allow_no_bet(user: User) -> bool:
    """Whether the player has a wager or loss limit of 0."""
    return any(Limit(kind, period).of(user) == 0 for kind in BET_LIMIT_KINDS for period in PERIODS)


def lower(*, user_id: int, limit: Limit, value: Cents | None, now: Millis) -> bool:
    """Set a limit at once, if the player has none yet or a higher one, and cancel a request to raise it.

    Returns False without a change if ``value`` is above the limit, or None, which removes it. The limit that
    the player has already counts as lower, and so does None without a limit. Raises UserNotFound.
    """
    with writing():
        return _lower(users.lock(user_id), limit, value, now=now)


def request(*, user_id: int, limit: Limit, value: Cents | None, now: Millis) -> LimitRequest | None:
    """Ask to raise a limit, or to remove it with None. Replaces an earlier request for the same limit.

    If ``value`` is not above the limit any more, because another request was confirmed meanwhile, this is
    ``lower`` and returns None. Raises UserNotFound.
    """
    with writing():
        user = users.lock(user_id)
        if _lower(user, limit, value, now=now):
            return None
        replaced = _delete_request(user, limit, now=now)
        requested: LimitRequest = LimitRequest.create(
            id=secrets.token_hex(16),
            user=user_id,
            kind=limit.kind,
            period=limit.period,
            value_cents=value,
            requested_at_ms=now,
        )
        what = AuditEventType.LIMIT_RAISE_REPLACED if replaced else AuditEventType.LIMIT_RAISE_REQUESTED
        before = limit.described(replaced.value_cents) if replaced else None
        record(what, now=now, user_id=user_id, before=before, after=limit.described(value))
        return requested


def confirm(*, user_id: int, request_id: str, now: Millis) -> None:
    """Set the limit of a request at least 24 hours and less than seven days after it was made.

    When confirmations run concurrently, one succeeds; after a lower limit none does. Raises Refusal for
    an unknown request, and before its time.
    """
    with writing():
        user = users.lock(user_id)
        found = LimitRequest.get_or_none(LimitRequest.id == request_id, LimitRequest.user == user_id)
        if found is None or now >= found.expires_at_ms:
            raise Refusal("Request not found", status=404)
        if now < found.confirmable_at_ms:
            raise Refusal("Too early")
        limit = Limit(found.kind, found.period)
        found.delete_instance()
        _set(AuditEventType.LIMIT_RAISE_CONFIRMED, user, limit, found.value_cents, now=now)


def _by_period(user: User, kind: str) -> ByPeriod:
    return {period: Limit(kind, period).of(user) for period in PERIODS}


def _lower(user: User, limit: Limit, value: Cents | None, *, now: Millis) -> bool:
    """As ``lower``, for a player whose row is locked."""
    current = limit.of(user)
    if current is not None and (value is None or value > current):
        return False
    cancelled = _delete_request(user, limit, now=now)
    if cancelled:
        before = limit.described(cancelled.value_cents)
        record(AuditEventType.LIMIT_RAISE_CANCELLED, now=now, user_id=user.id, before=before)
    if value != current:
        _set(
            AuditEventType.LIMIT_SET if current is None else AuditEventType.LIMIT_LOWERED,
            user,
            limit,
            value,
            now=now,
        )
    return True


def _set(what: AuditEventType, user: User, limit: Limit, value: int | None, *, now: Millis) -> None:
    """Change a limit of a player whose row is locked."""
    User.update({limit.column: value}).where(User.id == user.id).execute()
    before, after = limit.described(limit.of(user)), limit.described(value)
    record(what, now=now, user_id=user.id, before=before, after=after)


def _delete_request(user: User, limit: Limit, *, now: Millis) -> LimitRequest | None:
    """Delete the request to raise this limit; returns it unless it had expired."""
    of_limit = (LimitRequest.kind == limit.kind) & (LimitRequest.period == limit.period)
    found: LimitRequest | None = LimitRequest.get_or_none(LimitRequest.user == user.id, of_limit)
    if found is None:
        return None
    found.delete_instance()
    return found if now < found.expires_at_ms else None
