"""Setting up two-factor authentication, turning it on and off, and asking for codes."""

from dataclasses import dataclass

import peewee
import pyotp

from models.db.connection import writing
from models.logins import ConfirmedToken, LoginChallenge, RecoveryCode, TwoFactor, WrongCode
from models.users import User
from services.accounts import users
from services.accounts.notifications import notify
from services.accounts.two_factor import codes, recovery_codes
from services.accounts.two_factor.codes import (
    LATENESS_MS,
    MalformedCode,
    any_code,
    committing_refusals,
    six_digits,
)
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.shared.clock import MINUTE_MS, Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Refusal

ISSUER = "Gaming Platform"
"""Shown by an authenticator app above the player's name."""

COVERED_MS = 5 * MINUTE_MS
"""How long the requests of a token need no other code."""


class MalformedAnyCode(MalformedCode):
    """Neither six digits nor a recovery code. Does not count as a guess."""

    text = "The code must be a text of 6 digits, or a recovery code"


class AlreadyEnabled(Refusal):
    text = "2FA is already enabled"


@dataclass(frozen=True, kw_only=True)
class TwoFactorAuthentication:
    """Sets up, enables and disables. Secrets are encrypted in the database."""

    encrypter: Encrypter

    def setup(self, *, user_id: int) -> tuple[str, str]:
        """Draw a secret, which replaces one that was not enabled. Raises AlreadyEnabled.

        Returns the secret in base 32, and the otpauth address for a QR code that contains it.
        """
        secret = pyotp.random_base32()
        token = self.encrypter.encrypt(secret)
        with writing():
            user = users.lock(user_id)
            if user.two_factor_enabled:
                raise AlreadyEnabled
            TwoFactor.delete().where(TwoFactor.user == user_id).execute()
            TwoFactor.insert(user=user_id, encrypted_secret=token).execute()
        address = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=ISSUER)
        return secret, address

    def enable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn on with a code of the new secret. The code is used up.

        Raises MalformedCode, InvalidCode, TooManyWrongCodes, SecretLost, and Refusal if
        it is on already or not set up.
        """
        code = six_digits(code)
        with committing_refusals():
            if users.lock(user_id).two_factor_enabled:
                raise AlreadyEnabled
            codes.use(code, user_id=user_id, encrypter=self.encrypter, now=now)
            User.update(two_factor_enabled=True).where(User.id == user_id).execute()
            record(AuditEventType.TWO_FACTOR_ENABLED, now=now, user_id=user_id)
            notify(
                user_id=user_id,
                title="2FA turned on",
                message="Two-factor authentication was turned on for your account.",
                now=now,
            )

    def disable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn off with a code of either kind. Deletes the secret and what depends on it.

        Raises MalformedAnyCode, InvalidCode, TooManyWrongCodes, SecretLost, and Refusal if it is off.
        """
        code = any_code(code)
        if code is None:
            raise MalformedAnyCode
        with committing_refusals():
            _lock_enabled(user_id)
            codes.use(code, user_id=user_id, encrypter=self.encrypter, now=now)
            _turn_off(user_id, AuditEventType.TWO_FACTOR_DISABLED, now=now)

    def reset(self, *, user_id: int, now: Millis, reason: str = "") -> None:
        """Turn off without a code, for a player who lost the authenticator, and forget wrong codes.

        Raises Refusal if it is off.
        """
        with writing():
            _lock_enabled(user_id)
            WrongCode.delete().where(WrongCode.user == user_id).execute()
            _turn_off(user_id, AuditEventType.TWO_FACTOR_RESET, now=now, reason=reason)

    def draw_recovery_codes(self, *, user_id: int, code: object, now: Millis) -> list[str]:
        """New recovery codes, which replace all earlier ones, for a code of the authenticator app.

        Raises MalformedCode, InvalidCode, TooManyWrongCodes, SecretLost, and Refusal if it is off.
        """
        code = six_digits(code)
        drawn = recovery_codes.draw()
        rows = [
            {"user": user_id, "encrypted_code": self.encrypter.encrypt(text.replace("-", ""))}
            for text in drawn
        ]
        with committing_refusals():
            _lock_enabled(user_id)
            codes.use(code, user_id=user_id, encrypter=self.encrypter, now=now)
            RecoveryCode.delete().where(RecoveryCode.user == user_id).execute()
            RecoveryCode.insert_many(rows).execute()
            record(AuditEventType.RECOVERY_CODES_DRAWN, now=now, user_id=user_id)
            notify(
                user_id=user_id,
                title="New recovery codes",
                message="New recovery codes were made for your account. Earlier ones no longer work.",
                now=now,
            )
        return drawn

    def confirm(self, *, user_id: int, token_id: str | None, code: str | None, now: Millis) -> None:
        """Require a code for a sensitive action, unless one covers the token; a right one does from now on.

        Does nothing for a player without 2FA. Must not be called within a transaction, whose rollback would
        undo the count of wrong codes. Raises Refusal for a missing code, InvalidCode, TooManyWrongCodes,
        SecretLost.
        """
        with committing_refusals():
            # A code of a covered token is not looked at: another request may just have used it up.
            if not users.lock(user_id).two_factor_enabled or _is_covered(user_id, token_id, now=now):
                return
            if code is None:
                raise Refusal("Two-factor code required", status=403)
            codes.use(any_code(code), user_id=user_id, encrypter=self.encrypter, now=now)
            if token_id is not None:
                _cover(user_id, token_id, now=now)


def _lock_enabled(user_id: int) -> None:
    """Lock the row of a player with 2FA. Raises Refusal for one without."""
    if not users.lock(user_id).two_factor_enabled:
        raise Refusal("2FA is not enabled")


def _turn_off(user_id: int, what: AuditEventType, *, now: Millis, reason: str = "") -> None:
    for table in (TwoFactor, RecoveryCode, ConfirmedToken, LoginChallenge):
        table.delete().where(table.user == user_id).execute()
    User.update(two_factor_enabled=False).where(User.id == user_id).execute()
    record(what, now=now, user_id=user_id, after=because(reason) or None)
    by = " by support" if what is AuditEventType.TWO_FACTOR_RESET else ""
    notify(
        user_id=user_id,
        title="2FA turned off",
        message=f"Two-factor authentication was turned off for your account{by}.",
        now=now,
    )


def _is_covered(user_id: int, token_id: str | None, *, now: Millis) -> bool:
    """Whether a code covers this token, in all processes. A token without an id is never covered."""
    if token_id is None:
        return False
    is_this = ConfirmedToken.user == user_id, ConfirmedToken.token_id == token_id, _is_current(now)
    return bool(ConfirmedToken.select().where(*is_this).exists())


def _cover(user_id: int, token_id: str, *, now: Millis) -> None:
    """Cover a token that is not covered, and delete expired rows. The caller has locked the player's row."""
    ConfirmedToken.delete().where(ConfirmedToken.user == user_id, ~_is_current(now)).execute()
    ConfirmedToken.insert(user=user_id, token_id=token_id, until_ms=now + COVERED_MS).execute()


def _is_current(now: Millis) -> peewee.Expression:
    return ConfirmedToken.until_ms.between(now + 1, now + COVERED_MS + LATENESS_MS)
