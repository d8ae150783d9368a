"""Sessions of staff. Each is a row; the browser has a random text, and the row its hash."""

import hashlib
import secrets
from collections import Counter
from typing import Any

from models.db.connection import reading, writing
from models.staff import StaffAccount, StaffSession
from services.shared.clock import DAY_MS, MINUTE_MS, Millis

IDLE_MS = 30 * MINUTE_MS
LONGEST_MS = 12 * 60 * MINUTE_MS
FRESH_CODE_MS = 5 * MINUTE_MS
"""How long a code of the authenticator is enough for dangerous actions."""
KNOWN_MS = 30 * DAY_MS
"""How long a network is known to an account after a sign-in from there."""
LATENESS_MS = MINUTE_MS
"""Requests can overtake each other. A time that is further ahead was written while the clock was wrong."""
NOTED_EVERY_MS = MINUTE_MS
"""A session that is used writes its row this often. So it may end up to a minute early, never late."""


def begin(*, account_id: int, network: str, now: Millis) -> str:
    """Begin a session; returns the text for the browser. To be used within ``writing()``.

    Deletes the account's rows that are too old to make a network known.
    """
    token = secrets.token_urlsafe(32)
    is_old = StaffSession.began_at_ms <= now - KNOWN_MS
    StaffSession.delete().where(StaffSession.staff == account_id, is_old).execute()
    StaffSession.insert(
        token_hash=digest(token),
        staff=account_id,
        network=network,
        began_at_ms=now,
        last_seen_at_ms=now,
        confirmed_at_ms=now,
    ).execute()
    return token


@reading()
def find(token: str, *, now: Millis, is_used: bool = True) -> StaffSession | None:
    """The session of this text, with its account as ``staff``; None if it has ended or the account may not.

    Notes that it was used, unless a page only keeps itself up to date.
    """
    session: StaffSession | None = _running(now).where(StaffSession.token_hash == digest(token)).first()
    if session is None:
        return None
    if is_used and session.last_seen_at_ms <= now - NOTED_EVERY_MS:
        _update(session, last_seen_at_ms=now)
    return session


def is_fresh(session: StaffSession, *, now: Millis) -> bool:
    """Whether the person gave a code of the authenticator within FRESH_CODE_MS."""
    return bool(now - FRESH_CODE_MS < session.confirmed_at_ms <= now + LATENESS_MS)


def note_code(session: StaffSession, *, now: Millis) -> None:
    """The person gave a right code."""
    _update(session, confirmed_at_ms=now)


def end(session: StaffSession, *, now: Millis) -> None:
    """End one session."""
    _update(session, ended_at_ms=now)


def end_all(*, account_id: int, now: Millis) -> None:
    """End the sessions of an account. Their networks stay known."""
    with writing():
        of_account = StaffSession.staff == account_id, StaffSession.ended_at_ms.is_null()
        StaffSession.update(ended_at_ms=now).where(*of_account).execute()


def forget_all(*, account_id: int) -> None:
    """End the sessions of an account, and forget its networks."""
    with writing():
        StaffSession.delete().where(StaffSession.staff == account_id).execute()


@reading()
def is_known(network: str, *, account_id: int, now: Millis) -> bool:
    """Whether the account has signed in from this network within KNOWN_MS."""
    of_account = StaffSession.staff == account_id, StaffSession.network == network
    return bool(StaffSession.select().where(*of_account, StaffSession.began_at_ms > now - KNOWN_MS).exists())


@reading()
def of_account(account_id: int) -> list[StaffSession]:
    """The sessions of an account of the last 30 days, newest first."""
    query = StaffSession.select().where(StaffSession.staff == account_id)
    return list(query.order_by(StaffSession.began_at_ms.desc()))


@reading()
def running(*, now: Millis) -> Counter[int]:
    """How many sessions run, by the ids of their accounts."""
    return Counter(_running(now).select(StaffSession.staff).tuples().scalars())


def has_ended(session: StaffSession, *, now: Millis) -> bool:
    """Whether it was ended, or is over by itself. The account is not looked at."""
    is_over = session.last_seen_at_ms <= now - IDLE_MS or session.began_at_ms <= now - LONGEST_MS
    return session.ended_at_ms is not None or bool(is_over)


def digest(token: str) -> str:
    """What is stored of a random text: whoever reads the table can't use it."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _update(session: StaffSession, **columns: Millis) -> None:
    with writing():
        is_this = StaffSession.token_hash == session.token_hash
        StaffSession.update(columns).where(is_this).execute()


def _running(now: Millis) -> Any:
    """The sessions that have not ended, of accounts that are not disabled."""
    return (
        StaffSession.select(StaffSession, StaffAccount)
        .join(StaffAccount)
        .where(
            StaffSession.ended_at_ms.is_null(),
            StaffSession.last_seen_at_ms.between(now - IDLE_MS + 1, now + LATENESS_MS),
            StaffSession.began_at_ms.between(now - LONGEST_MS + 1, now + LATENESS_MS),
            StaffAccount.disabled_at_ms.is_null(),
        )
    )
