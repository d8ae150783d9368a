"""Enrolment links: with one, a person sets the password and the authenticator of their account, once."""

import secrets
from dataclasses import dataclass, field

from models.db.connection import reading, writing
from models.staff import StaffAccount
from services.audit_trail.actor import Actor, acting_as
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import DAY_MS, Millis
from services.shared.encryption import Encrypter
from services.staff import credentials
from services.staff.credentials import Passwords, check_new
from services.staff.errors import LinkNotValid, WrongCode
from services.staff.sessions import LATENESS_MS, digest

LINK_MS = DAY_MS
"""How long a link is valid."""


@dataclass(frozen=True)
class Invitation:
    """What the page of a link shows."""

    name: str
    secret: str = field(repr=False)
    address: str = field(repr=False)
    """The otpauth address for the QR code."""


@dataclass(frozen=True, kw_only=True)
class Enrolment:
    """Draws links and accepts them. The secrets of authenticators are encrypted in the database."""

    encrypter: Encrypter
    passwords: Passwords

    def draw_link(self, *, account_id: int, now: Millis, word_digest: str | None = None) -> str:
        """Draw the text of a link, which replaces an earlier one, the password and the authenticator.

        With the ``digest`` of a word the link is worth nothing without the word. To be used within
        ``writing()``.
        """
        token = secrets.token_urlsafe(32)
        StaffAccount.update(
            password_hash=None,
            encrypted_secret=self.encrypter.encrypt(credentials.new_secret()),
            last_used_step=None,
            enrolment_hash=_hash(token, word_digest),
            enrolment_expires_at_ms=now + LINK_MS,
        ).where(StaffAccount.id == account_id).execute()
        return token

    def invitation(self, token: str, *, word: str, now: Millis) -> Invitation:
        """The invitation of a link. Raises LinkNotValid, also for a wrong word."""
        account = _invited(token, word, now=now)
        secret = self.encrypter.decrypt(str(account.encrypted_secret))
        address = credentials.provisioning_address(secret, name=account.name)
        return Invitation(account.name, secret, address)

    def enrol(
        self, token: str, *, word: str, password: str, code: str, address: str | None, now: Millis
    ) -> None:
        """Set the password, and use the link up. Of two uses at once one updates the row.

        Raises LinkNotValid, Refusal for a bad password, WrongCode, Unavailable.
        """
        account = _invited(token, word, now=now)
        check_new(password, name=account.name)
        password_hash = self.passwords.hash(password)
        with writing(), acting_as(Actor(f"staff:{account.name}", address)):
            is_waiting = StaffAccount.enrolment_hash == account.enrolment_hash
            update = StaffAccount.update(
                password_hash=password_hash, enrolment_hash=None, enrolment_expires_at_ms=None
            )
            if not update.where(is_waiting).execute():
                raise LinkNotValid
            if not credentials.use_code(code, account=account, encrypter=self.encrypter, now=now):
                raise WrongCode
            record(AuditEventType.STAFF_ENROLLED, now=now, user_id=None)


@reading()
def _invited(token: str, word: str, *, now: Millis) -> StaffAccount:
    """The account whose valid link has this text and this word, if any. Raises LinkNotValid."""
    account: StaffAccount | None = StaffAccount.get_or_none(
        StaffAccount.enrolment_hash == _hash(token, digest(word) if word else None),
        StaffAccount.enrolment_expires_at_ms.between(now + 1, now + LINK_MS + LATENESS_MS),
        StaffAccount.disabled_at_ms.is_null(),
    )
    if account is None:
        raise LinkNotValid
    return account


def new_word() -> str:
    """A word without which a link is worth nothing."""
    return secrets.token_hex(10)


def _hash(token: str, word_digest: str | None) -> str:
    """What is stored of a link."""
    # Nobody can give both as one token: those that are drawn have no full stop.
    return digest(token.replace(".", "") if word_digest is None else f"{token}.{word_digest}")
