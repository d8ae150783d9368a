"""Signing in with name, password and a code of the authenticator, and giving a code again."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from models.audit_trail import AuditEvent
from models.db.connection import database, reading, writing
from models.staff import StaffAccount, StaffSession
from services.audit_trail.actor import Actor, acting_as
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Unavailable
from services.staff import credentials, sessions
from services.staff.credentials import Passwords
from services.staff.errors import SignInRefused, WrongCode
from services.staff.login_failures import LoginFailures, Try

UNKNOWN = "staff:?"
"""The actor of a try with a name that nobody has. The name is not recorded: it may be a password."""

MAY_SIGN_IN = StaffAccount.password_hash.is_null(False) & StaffAccount.disabled_at_ms.is_null()


class _Counted(Exception):
    """Undoes the events of a try that the next event counts."""


@dataclass(frozen=True)
class ClientAddress:
    """Where a try comes from: the client's address, and the network by which it is counted."""

    address: str
    network: str


@dataclass(frozen=True, kw_only=True)
class SignIn:
    """Verifies who somebody is, and counts wrong tries."""

    encrypter: Encrypter
    passwords: Passwords
    login_failures: LoginFailures

    def begin_session(
        self, *, name: str, password: str, code: str, client: ClientAddress, now: Millis
    ) -> str:
        """Begin a session of the account; returns the text for the browser.

        A name that does not exist takes as long as one that does, and is refused in the same way. Raises
        SignInRefused, TooManyTries, Unavailable.
        """
        name = name.strip().lower()
        account = _enrolled(name)
        begun = self.login_failures.begin(name, account=account, network=client.network, now=now)
        try:
            is_right = self.passwords.is_right(password, account.password_hash if account else None)
        except Unavailable:
            # Others can cause it, and must not lock somebody out with it.
            self.login_failures.take_back(begun)
            raise
        who = UNKNOWN if account is None else f"staff:{account.name}"
        with writing(), acting_as(Actor(who, client.address or None)):
            if account and is_right and self._may_begin(account, code, now=now):
                self.login_failures.forget(begun)
                return begin_session_of(account, client=client, now=now)
            self._record_failure(begun, is_of_account=account is not None, now=now)
        raise SignInRefused

    def confirm(self, session: StaffSession, *, code: str, client: ClientAddress, now: Millis) -> None:
        """Accept a code of the person of a session, for dangerous actions. Wrong ones count as tries.

        Raises WrongCode, TooManyTries.
        """
        account = session.staff
        begun = self.login_failures.begin(account.name, account=account, network=client.network, now=now)
        with writing():
            if credentials.use_code(code, account=account, encrypter=self.encrypter, now=now):
                self.login_failures.forget(begun)
                sessions.note_code(session, now=now)
                return
            self._record_failure(begun, is_of_account=True, now=now)
        raise WrongCode

    def end_session(self, session: StaffSession, *, now: Millis) -> None:
        """Sign out."""
        with writing():
            record(AuditEventType.STAFF_SIGNED_OUT, now=now, user_id=None)
            sessions.end(session, now=now)

    def _may_begin(self, account: StaffAccount, code: str, *, now: Millis) -> bool:
        """Whether the code is right, and the account is as it was when the password was verified."""
        is_same = StaffAccount.id == account.id, StaffAccount.password_hash == account.password_hash
        query: Any = StaffAccount.select().where(*is_same, StaffAccount.disabled_at_ms.is_null())
        # A reset or a change of the role waits for this transaction, or this one for it.
        locked = (query.for_update() if database.for_update else query).first()
        return locked is not None and credentials.use_code(
            code, account=locked, encrypter=self.encrypter, now=now
        )

    def _record_failure(self, begun: Try, *, is_of_account: bool, now: Millis) -> None:
        """Record a wrong try, and the lock that follows from it. To be used within ``writing()``.

        Names that nobody has have no end, and events stay for ever: their tries are one event a minute, which
        counts those since the one before. Other events are undone instead of left out, because the time of
        the answer must not say whether the name exists.
        """
        last = _last_unknown(now)
        tries = self.login_failures.count(since=last or Millis(now - DAY_MS), except_for=_names())
        # The last event has counted its own try.
        tries -= last is not None
        after = {"tries": tries} if tries > 1 and not is_of_account else None
        with suppress(_Counted), database.savepoint():
            record(AuditEventType.STAFF_SIGN_IN_FAILED, now=now, user_id=None, after=after)
            if begun.is_last:
                record(AuditEventType.STAFF_LOCKED, now=now, user_id=None)
            if not is_of_account and last is not None and last > now - MINUTE_MS:
                raise _Counted


def begin_session_of(account: StaffAccount, *, client: ClientAddress, now: Millis) -> str:
    """Begin a session of somebody who has proved who they are. To be used within ``writing()``."""
    StaffAccount.update(last_login_at_ms=now).where(StaffAccount.id == account.id).execute()
    record(AuditEventType.STAFF_SIGNED_IN, now=now, user_id=None)
    return sessions.begin(account_id=account.id, network=client.network, now=now)


@reading()
def _enrolled(name: str) -> StaffAccount | None:
    """The account with this name that may sign in."""
    account: StaffAccount | None = StaffAccount.get_or_none(StaffAccount.name == name, MAY_SIGN_IN)
    return account


def _names() -> list[str]:
    """The names of the accounts that may sign in."""
    return list(StaffAccount.select(StaffAccount.name).where(MAY_SIGN_IN).scalars())


def _last_unknown(now: Millis) -> Millis | None:
    """When a try with a name that nobody has was last recorded. Events in the future are left out."""
    is_unknown = AuditEvent.who == UNKNOWN, AuditEvent.what == AuditEventType.STAFF_SIGN_IN_FAILED
    newest: Any = AuditEvent.select(AuditEvent.at_ms).where(*is_unknown, AuditEvent.at_ms <= now + MINUTE_MS)
    at: int | None = newest.order_by(AuditEvent.at_ms.desc(), AuditEvent.id.desc()).limit(1).scalar()
    return None if at is None else Millis(max(at, now - DAY_MS))
