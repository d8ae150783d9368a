"""Setting up two-factor authentication, turning it on and off, and asking for codes."""

from dataclasses import dataclass, field

import pyotp

from models.db.connection import reading, writing
from models.login_challenges import LoginChallenge
from models.two_factor import ConfirmedToken, RecoveryCode, TwoFactor
from models.users import User
from services.accounts import users
from services.accounts.notifications import notify
from services.accounts.two_factor import confirmed_tokens, recovery_codes
from services.accounts.two_factor.codes import Codes, any_code, six_digits
from services.accounts.two_factor.errors import (
    AlreadyEnabled,
    CodeRequired,
    MalformedAnyCode,
    NotEnabled,
)
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter

ISSUER = "Gaming Platform"
"""Shown by an authenticator app above the player's name."""


@dataclass(frozen=True)
class Setup:
    """The secret in base 32, and the otpauth address for a QR code that contains it."""

    secret: str = field(repr=False)
    address: str = field(repr=False)


class TwoFactorAuthentication:
    """Sets up, enables and disables. Secrets are encrypted in the database."""

    def __init__(self, *, encrypter: Encrypter) -> None:
        self._encrypter = encrypter
        self.codes = Codes(encrypter)

    def setup(self, *, user_id: int) -> Setup:
        """Draw a secret, which replaces one that was not enabled. Raises AlreadyEnabled."""
        secret = pyotp.random_base32()
        sealed = self._encrypter.encrypt(secret)
        with writing():
            user = users.lock(user_id)
            if user.two_factor_enabled:
                raise AlreadyEnabled
            TwoFactor.delete().where(TwoFactor.user == user_id).execute()
            TwoFactor.insert(user=user_id, sealed_secret=sealed).execute()
        address = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=ISSUER)
        return Setup(secret, address)

    def enable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn on with a code of the new secret. The code is used up.

        Raises MalformedCode, AlreadyEnabled, SetupNotInitiated, InvalidCode, TooManyWrongCodes, SecretLost.
        """
        code = six_digits(code)
        with writing():
            if users.lock(user_id).two_factor_enabled:
                raise AlreadyEnabled
            refusal = self.codes.use(code, user_id=user_id, now=now)
            if refusal is None:
                User.update(two_factor_enabled=True).where(User.id == user_id).execute()
                record(What.TWO_FACTOR_ENABLED, now=now, user_id=user_id)
                notify(
                    user_id=user_id,
                    title="2FA turned on",
                    message="Two-factor authentication was turned on for your account.",
                    now=now,
                )
        # Not raised inside the transaction, which would roll back the count of wrong codes.
        if refusal is not None:
            raise refusal

    def disable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn off with a code of either kind. Deletes the secret and what depends on it.

        Raises MalformedAnyCode, NotEnabled, InvalidCode, TooManyWrongCodes, SecretLost.
        """
        code = any_code(code)
        if code is None:
            raise MalformedAnyCode
        with writing():
            if not users.lock(user_id).two_factor_enabled:
                raise NotEnabled
            refusal = self.codes.use(code, user_id=user_id, now=now)
            if refusal is None:
                _turn_off(user_id, What.TWO_FACTOR_DISABLED, now=now)
        if refusal is not None:
            raise refusal

    def reset(self, *, user_id: int, now: Millis) -> None:
        """Turn off without a code, for a player who lost the authenticator. Raises NotEnabled."""
        with writing():
            if not users.lock(user_id).two_factor_enabled:
                raise NotEnabled
            _turn_off(user_id, What.TWO_FACTOR_RESET, now=now)

    def draw_recovery_codes(self, *, user_id: int, code: object, now: Millis) -> list[str]:
        """New recovery codes, which replace all earlier ones, for a code of the authenticator app.

        Raises MalformedCode, NotEnabled, InvalidCode, TooManyWrongCodes, SecretLost.
        """
        code = six_digits(code)
        drawn = recovery_codes.draw()
        rows = [
            {"user": user_id, "sealed_code": self._encrypter.encrypt(text.replace("-", ""))} for text in drawn
        ]
        with writing():
            if not users.lock(user_id).two_factor_enabled:
                raise NotEnabled
            refusal = self.codes.use(code, user_id=user_id, now=now)
            if refusal is None:
                RecoveryCode.delete().where(RecoveryCode.user == user_id).execute()
                RecoveryCode.insert_many(rows).execute()
                record(What.RECOVERY_CODES_DRAWN, now=now, user_id=user_id)
                notify(
                    user_id=user_id,
                    title="New recovery codes",
                    message="New recovery codes were made for your account. Earlier ones no longer work.",
                    now=now,
                )
        if refusal is not None:
            raise refusal
        return drawn

    def confirm(self, *, user_id: int, token_id: str | None, code: str | None, now: Millis) -> None:
        """Require a code for a sensitive action, unless one covers the token; a right one does from now on.

        Does nothing for a player without 2FA. Must not be called within a transaction, whose rollback would
        undo the count of wrong codes. Raises CodeRequired, InvalidCode, TooManyWrongCodes, SecretLost.
        """
        with reading():
            if confirmed_tokens.covers(user_id=user_id, token_id=token_id, now=now):
                return
        if code is None:
            raise CodeRequired
        with writing():
            # Another request with the same token and code may have come first.
            if not users.lock(user_id).two_factor_enabled or confirmed_tokens.covers(
                user_id=user_id, token_id=token_id, now=now
            ):
                return
            refusal = self.codes.use(any_code(code), user_id=user_id, now=now)
            if refusal is None:
                confirmed_tokens.cover(user_id=user_id, token_id=token_id, now=now)
        if refusal is not None:
            raise refusal

    def renew(self, encrypted: str) -> str:
        """Encrypt an encrypted secret with the current key. Raises cryptography.fernet.InvalidToken."""
        return self._encrypter.renew(encrypted)


def _turn_off(user_id: int, what: What, *, now: Millis) -> None:
    for table in (TwoFactor, RecoveryCode, ConfirmedToken, LoginChallenge):
        table.delete().where(table.user == user_id).execute()
    User.update(two_factor_enabled=False).where(User.id == user_id).execute()
    record(what, now=now, user_id=user_id)
    by = " by support" if what is What.TWO_FACTOR_RESET else ""
    notify(
        user_id=user_id,
        title="2FA turned off",
        message=f"Two-factor authentication was turned off for your account{by}.",
        now=now,
    )
