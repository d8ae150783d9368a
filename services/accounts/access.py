"""Who may act as a player: token numbers, logging out everywhere, and suspending players."""

from typing import Any

import peewee
from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.db.connection import writing
from models.figures import LIVE_BET_SHARDS, LiveBetCount
from models.users import User
from services.accounts import users
from services.accounts.tokens import Claims
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.shared.clock import Millis
from services.shared.errors import AccountSuspended, Unauthorized
from services.shared.signals import Tag, invalidate_after_commit


def player_of(claims: Claims) -> User:
    """The player of a valid token. Raises UserNotFound, and Unauthorized if the token was revoked."""
    user = users.get(platform_id=claims.platform_id)
    check_token_number(user, claims.token_number)
    return user


def check_token_number(user: User, number: int) -> None:
    """Raises Unauthorized if tokens of this number were revoked."""
    if user.token_number != number:
        raise Unauthorized


def check_not_suspended(user: User) -> None:
    """Raises AccountSuspended."""
    if user.suspended_at_ms is not None:
        raise AccountSuspended


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
    """End the suspension of a player, if there is one. Raises UserNotFound."""
    with writing():
        if users.lock(user_id).suspended_at_ms is not None:
            User.update(suspended_at_ms=None).where(User.id == user_id).execute()
            _count_live_bets(user_id, 1)
            record(AuditEventType.RESUMED, now=now, user_id=user_id, after=because(reason) or None)


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
