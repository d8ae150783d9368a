"""Two-factor authentication: a secret shared with the player's authenticator app, and codes of six digits.

Source: RFC 6238 (30 seconds, SHA-1, six digits).
"""

import hmac
import logging
import re
from dataclasses import dataclass, field

import pyotp
from cryptography.fernet import InvalidToken

from models.db.connection import writing
from models.two_factor import TwoFactor, WrongCode
from models.users import User
from services.accounts import users
from services.accounts.notifications import notify
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import PlatformError

log = logging.getLogger("platform.two_factor")

ISSUER = "Gaming Platform"
"""Shown by an authenticator app above the player's name."""

STEP_MS = 30_000
DRIFT_STEPS = 1
CODE = re.compile(r"[0-9]{6}", re.ASCII)

MAX_WRONG_CODES = 5
WRONG_CODE_WINDOW_MS = 5 * 60 * 1000
LATENESS_MS = 60 * 1000
"""Requests can overtake each other, so a counted code may be this much later than now. Codes further ahead
were counted while the clock was wrong, and are ignored."""


class MalformedCode(PlatformError):
    """Not a text of six ASCII digits. Does not count as a guess."""

    text = "The code must be a text of 6 digits"


class AlreadyEnabled(PlatformError):
    text = "2FA is already enabled"


class SetupNotInitiated(PlatformError):
    """The player has no secret to which a code could belong."""

    text = "2FA setup has not been initiated"


class NotEnabled(PlatformError):
    text = "2FA is not enabled"


class InvalidCode(PlatformError):
    """The code does not belong to the current time, or was used before."""

    text = "Invalid 2FA code"


class SecretLost(PlatformError):
    """No known key decrypts the secret, so no code can be checked."""

    text = "The 2FA secret can no longer be read; set 2FA up again, or ask support to reset it"


class TooManyWrongCodes(PlatformError):
    """Five wrong codes within five minutes. Until these have passed, the right code is refused too."""

    status = 429
    text = "Too many wrong 2FA codes"

    def __init__(self, *, retry_after_seconds: int) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True)
class Setup:
    """The secret in base 32, and the otpauth address for a QR code that contains it."""

    secret: str = field(repr=False)
    address: str = field(repr=False)


class TwoFactorAuthentication:
    """Sets up, enables and disables. Secrets are encrypted in the database."""

    def __init__(self, *, encrypter: Encrypter) -> None:
        self._encrypter = encrypter

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
        code = _six_digits(code)
        with writing():
            if users.lock(user_id).two_factor_enabled:
                raise AlreadyEnabled
            refusal = self._use(code, user_id=user_id, now=now)
            if refusal is None:
                User.update(two_factor_enabled=True).where(User.id == user_id).execute()
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
        """Turn off, and delete the secret.

        Raises MalformedCode, NotEnabled, InvalidCode, TooManyWrongCodes, SecretLost.
        """
        code = _six_digits(code)
        with writing():
            if not users.lock(user_id).two_factor_enabled:
                raise NotEnabled
            refusal = self._use(code, user_id=user_id, now=now)
            if refusal is None:
                _turn_off(user_id, by="", now=now)
        if refusal is not None:
            raise refusal

    def reset(self, *, user_id: int, now: Millis) -> None:
        """Turn off without a code, for a player who lost the authenticator. Raises NotEnabled."""
        with writing():
            if not users.lock(user_id).two_factor_enabled:
                raise NotEnabled
            _turn_off(user_id, by=" by support", now=now)

    def renew(self, encrypted: str) -> str:
        """Encrypt an encrypted secret with the current key. Raises cryptography.fernet.InvalidToken."""
        return self._encrypter.renew(encrypted)

    def _use(self, code: str, *, user_id: int, now: Millis) -> PlatformError | None:
        """Use up a code of the player, whose row is locked. Returns the refusal, if any.

        Wrong codes are counted; a right one does not reset the count. Raises SetupNotInitiated.
        """
        row = TwoFactor.get_or_none(TwoFactor.user == user_id)
        if row is None:
            raise SetupNotInitiated
        is_recent = WrongCode.at_ms.between(now - WRONG_CODE_WINDOW_MS + 1, now + LATENESS_MS)
        WrongCode.delete().where(WrongCode.user == user_id, ~is_recent).execute()
        wrong = list(WrongCode.select(WrongCode.at_ms).where(WrongCode.user == user_id).scalars())
        if len(wrong) >= MAX_WRONG_CODES:
            wait_ms = min(wrong) + WRONG_CODE_WINDOW_MS - now
            return TooManyWrongCodes(retry_after_seconds=-(-wait_ms // 1000))
        try:
            secret = self._encrypter.decrypt(row.sealed_secret)
        except InvalidToken:
            log.exception("two-factor secret unreadable", extra={"event": "two_factor"})
            return SecretLost()
        step = _step_of(code, secret=secret, now=now)
        if step is not None and _use_up(user_id, step, now=now):
            return None
        WrongCode.insert(user=user_id, at_ms=now).execute()
        return InvalidCode()


def _turn_off(user_id: int, *, by: str, now: Millis) -> None:
    TwoFactor.delete().where(TwoFactor.user == user_id).execute()
    User.update(two_factor_enabled=False).where(User.id == user_id).execute()
    notify(
        user_id=user_id,
        title="2FA turned off",
        message=f"Two-factor authentication was turned off for your account{by}.",
        now=now,
    )


def _six_digits(code: object) -> str:
    if not isinstance(code, str) or not CODE.fullmatch(code):
        raise MalformedCode
    return code


def _step_of(code: str, *, secret: str, now: Millis) -> int | None:
    """The newest time step, within the allowed drift, whose code this is."""
    totp = pyotp.TOTP(secret)
    current = now // STEP_MS
    steps = range(max(current - DRIFT_STEPS, 0), current + DRIFT_STEPS + 1)
    return max((step for step in steps if hmac.compare_digest(totp.generate_otp(step), code)), default=None)


def _use_up(user_id: int, step: int, *, now: Millis) -> bool:
    """Mark the code of this step as used. Returns whether it and all later ones were unused.

    A last step beyond the allowed drift was used while the clock was wrong, and does not count. Its code
    can't be used again: enabling is the first use of a secret, and disabling deletes it.
    """
    last = TwoFactor.last_used_step
    unused = last.is_null() | (last < step) | (last > now // STEP_MS + DRIFT_STEPS)
    update = TwoFactor.update(last_used_step=step).where(TwoFactor.user == user_id, unused)
    return bool(update.execute())
