"""Accounts of staff: adding, listing, changing roles, disabling, and starting anew after a loss."""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import peewee

from models.db.connection import database, reading, writing
from models.staff import StaffAccount
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff import sessions
from services.staff.enrolment import Enrolment
from services.staff.errors import NothingToChange, StaffNotFound
from services.staff.login_failures import LoginFailures
from services.staff.permissions import Permission, Role, may

NAME = re.compile(r"[a-z][a-z0-9.-]{1,31}", re.ASCII)


@reading()
def listed() -> list[StaffAccount]:
    """Every account, by name."""
    return list(StaffAccount.select().order_by(StaffAccount.name))


@reading()
def get(name: str) -> StaffAccount:
    """The account with this name. Raises StaffNotFound."""
    return _existing(StaffAccount.get_or_none(StaffAccount.name == name))


def _locked(name: str) -> StaffAccount:
    """The account with this name, locked until the end of the transaction. Raises StaffNotFound."""
    query: Any = StaffAccount.select().where(StaffAccount.name == name)
    return _existing((query.for_update() if database.for_update else query).first())


def lock(name: str) -> None:
    """Let other transactions that lock this account, if it exists, wait until the end of this one."""
    with suppress(StaffNotFound):
        _locked(name)


def may_still(name: str, permission: Permission) -> bool:
    """Whether this account is not disabled, and has the permission: until the end of the transaction."""
    account = _locked(name)
    return account.disabled_at_ms is None and may(account.role, permission)


def _existing(account: StaffAccount | None) -> StaffAccount:
    if account is None:
        raise StaffNotFound
    return account


@dataclass(frozen=True, kw_only=True)
class StaffAccounts:
    """Changes accounts. Every change but adding ends the account's sessions at once."""

    enrolment: Enrolment
    login_failures: LoginFailures

    def add(
        self,
        *,
        name: str,
        role: Role,
        now: Millis,
        reason: str | None = None,
        word_digest: str | None = None,
    ) -> str:
        """Add an account; returns the text of its enrolment link. Raises Refusal for a bad or taken name.

        ``word_digest`` is of the word that the link needs, if any.
        """
        if not NAME.fullmatch(name):
            raise Refusal(
                "A name must have 2 to 32 lowercase letters, digits, dots and dashes, and begin with a letter"
            )
        try:
            with writing():
                account = StaffAccount.create(name=name, role=role, created_at_ms=now)
                after = _with_reason({"name": name, "role": role}, reason)
                record(AuditEventType.STAFF_ADDED, now=now, user_id=None, after=after)
                return self.enrolment.draw_link(account_id=account.id, now=now, word_digest=word_digest)
        except peewee.IntegrityError:
            raise Refusal("This name is taken") from None

    def change_role(self, *, name: str, role: Role, now: Millis, reason: str | None = None) -> None:
        """Give another role. Raises StaffNotFound, NothingToChange."""
        with writing():
            account = _locked(name)
            if account.role == role:
                raise NothingToChange
            StaffAccount.update(role=role).where(StaffAccount.id == account.id).execute()
            record(
                AuditEventType.STAFF_ROLE_CHANGED,
                now=now,
                user_id=None,
                before={"name": name, "role": account.role},
                after=_with_reason({"name": name, "role": role}, reason),
            )
            # After the event, which may be of one of them.
            sessions.end_all(account_id=account.id, now=now)

    def disable(self, *, name: str, now: Millis, reason: str | None = None) -> None:
        """Let nobody sign in with this account, until it is reset. Raises StaffNotFound, NothingToChange."""
        with writing():
            account = _locked(name)
            if account.disabled_at_ms is not None:
                raise NothingToChange
            StaffAccount.update(disabled_at_ms=now, enrolment_hash=None, enrolment_expires_at_ms=None).where(
                StaffAccount.id == account.id
            ).execute()
            after = _with_reason({"name": name}, reason)
            record(AuditEventType.STAFF_DISABLED, now=now, user_id=None, after=after)
            sessions.end_all(account_id=account.id, now=now)

    def reset(
        self, *, name: str, now: Millis, reason: str | None = None, word_digest: str | None = None
    ) -> str:
        """Take password and authenticator away and enable the account; returns the text of a new link.

        For somebody who has lost their phone, or whose password is known to others. Also forgets wrong tries
        and known networks. Raises StaffNotFound.
        """
        with writing():
            account = _locked(name)
            StaffAccount.update(disabled_at_ms=None).where(StaffAccount.id == account.id).execute()
            self.login_failures.forget_all(name)
            after = _with_reason({"name": name}, reason)
            record(AuditEventType.STAFF_RESET, now=now, user_id=None, after=after)
            sessions.forget_all(account_id=account.id)
            return self.enrolment.draw_link(account_id=account.id, now=now, word_digest=word_digest)

    def forget_tries(self, *, name: str, now: Millis, reason: str | None = None) -> int:
        """Forget wrong tries, so that a locked name can sign in; returns how many.

        Raises StaffNotFound, and Refusal for a short reason.
        """
        if reason is not None:
            reason = checked_reason(reason, least=LEAST_OF_STAFF)
        with writing():
            _locked(name)
            forgotten = self.login_failures.forget_all(name)
            after = _with_reason({"name": name}, reason) | {"triesForgotten": forgotten}
            record(AuditEventType.STAFF_RESET, now=now, user_id=None, after=after)
            return forgotten


def _with_reason(values: dict[str, Any], reason: str | None) -> dict[str, Any]:
    """Commands give no reason."""
    return {name: str(value) for name, value in values.items()} | ({"reason": reason} if reason else {})
