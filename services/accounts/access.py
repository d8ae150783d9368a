"""Who may act as a player: access tokens, logging out everywhere, and suspending players."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jwt
import peewee
from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.callers import AnyPlayer, Caller
from models.db.connection import writing
from models.figures import LIVE_BET_SHARDS, LiveBetCount
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import AccountClosed, AccountSuspended, Refusal, Unauthorized
from services.shared.signals import Tag, invalidate_after_commit
from services.shared.text import checked_reason

ALGORITHM = "HS256"
TOKENS_REMEMBERED = 10_000
"""Checking a signature takes 70 µs, a quarter of a short request, so checked tokens are cached."""

PLATFORM_ID = re.compile(r"[A-Za-z0-9_-]{1,80}", re.ASCII)
TOKEN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)

FUTURE_MS = DAY_MS
"""A token that was issued further in the future than this is refused. The clock was wrong when it was issued,
and the token would be valid for that much longer."""


@dataclass(frozen=True)
class Claims:
    """The player of a valid token, the token number, when it is valid, and its id, if it has one.

    Times are in milliseconds.
    """

    platform_id: str
    token_number: int
    expires_at: Millis
    valid_from: float
    token_id: str | None


class Tokens:
    """Issues tokens with one secret and issuer; also accepts those signed with a previous secret."""

    def __init__(
        self, *, secret: str, issuer: str, ttl_seconds: int, previous_secrets: Sequence[str] = ()
    ) -> None:
        self._secret = secret
        self._accepted = (secret, *previous_secrets)
        self._issuer = issuer
        self._ttl_seconds = ttl_seconds
        self._claims = lru_cache(TOKENS_REMEMBERED)(self._verify)

    def issue(self, user: User, *, now: Millis) -> str:
        """A new token of this player, who may have others."""
        issued_at = now // 1000
        claims = {
            "sub": user.platform_id,
            "session": user.token_number,
            "iat": issued_at,
            "exp": issued_at + self._ttl_seconds,
            "iss": self._issuer,
            "jti": uuid.uuid4().hex,
        }
        return jwt.encode(claims, self._secret, algorithm=ALGORITHM)

    def check(self, token: object, *, now: Millis) -> Claims:
        """The claims of a token. Raises Unauthorized unless this service issued it and it has not expired."""
        if not isinstance(token, str):
            raise Unauthorized
        claims = self._claims(token)
        if not claims.valid_from <= now < claims.expires_at:
            raise Unauthorized
        return claims

    def _verify(self, token: str) -> Claims:
        """The claims of a token with a valid signature, expired or not. Raises Unauthorized."""
        content = self._content(token)
        platform_id, expires = content["sub"], content["exp"]
        number = content.get("session", 0)
        # isinstance() would also accept a boolean.
        if not PLATFORM_ID.fullmatch(platform_id) or type(expires) is not int or type(number) is not int:
            raise Unauthorized
        issued = content.get("iat")
        valid_from = issued * 1000 - FUTURE_MS if isinstance(issued, int | float) else 0
        token_id = content.get("jti")
        if not isinstance(token_id, str) or not TOKEN_ID.fullmatch(token_id):
            token_id = None
        return Claims(platform_id, number, Millis(expires * 1000), valid_from, token_id)

    def _content(self, token: str) -> dict[str, Any]:
        """The payload of a token signed with one of the secrets for this issuer. Raises Unauthorized."""
        for secret in self._accepted:
            try:
                content: dict[str, Any] = jwt.decode(
                    token,
                    secret,
                    algorithms=[ALGORITHM],
                    issuer=self._issuer,
                    # Times are compared with the application's own clock.
                    options={"require": ["sub", "exp", "iss"], "verify_exp": False, "verify_iat": False},
                )
            except jwt.InvalidSignatureError:
                continue
            except (jwt.InvalidTokenError, UnicodeError):
                raise Unauthorized from None
            return content
        raise Unauthorized


def player_of(claims: Claims) -> Caller:
    """The player of a valid token. Raises UserNotFound, and Unauthorized if the token was revoked."""
    caller = users.caller(platform_id=claims.platform_id)
    check_token_number(caller, claims.token_number)
    return caller


def check_token_number(user: AnyPlayer, number: int) -> None:
    """Raises Unauthorized if tokens of this number were revoked."""
    if user.token_number != number:
        raise Unauthorized


def check_not_suspended(user: AnyPlayer) -> None:
    """Raises AccountSuspended, or AccountClosed if the player has closed the account."""
    check_not_closed(user)
    if user.suspended_at_ms is not None:
        raise AccountSuspended


def check_not_closed(user: AnyPlayer) -> None:
    """Raises AccountClosed."""
    if user.closed_at_ms is not None:
        raise AccountClosed


def log_out_everywhere(*, user_id: int, now: Millis, reason: str = "") -> int:
    """Revoke all tokens of a player; returns the number of those that begin from now on.

    ``reason`` is that of staff, if they do it in the back office.

    After this has returned, no bet and no audited action of a revoked token is committed: both check the
    token number, and wait for the lock of this row or come first. When two requests with one token arrive
    at once, the second is refused; a command raises the number again. Raises UserNotFound.
    """
    with writing():
        before: int = users.lock(user_id).token_number
        number = before + 1
        ended, after = {"session": before}, {"session": number, **because(reason)}
        # First, because the player who logs out acts with a token that this revokes.
        record(AuditEventType.LOGGED_OUT, now=now, user_id=user_id, before=ended, after=after)
        User.update(token_number=number).where(User.id == user_id).execute()
        return number


def suspend(*, user_id: int, now: Millis, reason: str = "") -> Millis:
    """Suspend a player; returns since when the player is suspended.

    After this has returned, no bet of the player settles: a settlement locks the same row, so it comes first
    or is refused. A player who is suspended already keeps the first time. Raises UserNotFound.
    """
    with writing():
        since = users.lock(user_id).suspended_at_ms
        if since is not None:
            return Millis(since)
        User.update(suspended_at_ms=now).where(User.id == user_id).execute()
        _count_live_bets(user_id, -1)
        record(AuditEventType.SUSPENDED, now=now, user_id=user_id, after=because(reason) or None)
        return now


def resume(*, user_id: int, now: Millis, reason: str = "") -> None:
    """End the suspension of a player, if there is one. Raises UserNotFound, and Refusal if it is closed."""
    with writing():
        user = users.lock(user_id)
        if user.closed_at_ms is not None:
            raise Refusal("the player has closed the account, see flask users reopen")
        if user.suspended_at_ms is not None:
            User.update(suspended_at_ms=None).where(User.id == user_id).execute()
            _count_live_bets(user_id, 1)
            record(AuditEventType.RESUMED, now=now, user_id=user_id, after=because(reason) or None)


def close(*, user: User, forfeited: Mapping[str, int], now: Millis) -> None:
    """Close the account of a player whose row is locked, and which has no coins any more.

    All tokens are revoked. ``forfeited`` is what the audit trail says of the coins that were left.
    """
    # First, because the player acts with a token that this revokes.
    record(AuditEventType.CLOSED, now=now, user_id=user.id, after=forfeited)
    changed = {"closed_at_ms": now, "suspended_at_ms": now, "token_number": user.token_number + 1}
    User.update(changed).where(User.id == user.id).execute()
    _count_live_bets(user.id, -1)


def reopen(*, user_id: int, reason: str, now: Millis) -> None:
    """Open a closed account again. Raises UserNotFound, and Refusal if it is not closed, or erased."""
    reason = checked_reason(reason)
    with writing():
        user = users.lock(user_id)
        if user.closed_at_ms is None or user.erased_at_ms is not None:
            raise Refusal("the account is not closed, or was erased")
        User.update(closed_at_ms=None, suspended_at_ms=None).where(User.id == user_id).execute()
        _count_live_bets(user_id, 1)
        record(AuditEventType.REOPENED, now=now, user_id=user_id, after={"reason": reason})


def _count_live_bets(user_id: int, sign: int) -> None:
    """Add the bets of a player to the counts of the live bets, or take them from there.

    While a player is suspended, and the row is locked, there are no new ones.
    """
    made: Any = Bet.select(fn.COUNT(Bet.id), fn.COUNT(peewee.Case(None, [(HIGH_ROLL, 1)])))
    bets, high_rolls = made.where(Bet.user == user_id).tuples().get()
    row = LiveBetCount
    counts = {row.bets: row.bets + sign * bets, row.high_rolls: row.high_rolls + sign * high_rolls}
    row.update(counts).where(row.shard == user_id % LIVE_BET_SHARDS).execute()
    invalidate_after_commit(Tag.PLAYERS)
