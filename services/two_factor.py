"""Two-factor authentication: a secret shared with the player's authenticator, and codes of six digits.

Source: RFC 6238 (30 seconds, SHA-1, six digits), RFC 4226 (the code of a step), SPEC 3.2.
"""

import hmac
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyotp
from cryptography.fernet import InvalidToken

from models.database import writing
from models.two_factor import TwoFactor, WrongCode
from models.users import User
from services.clock import Millis
from services.errors import PlatformError, PlayerGone
from services.notifications import notify
from services.sealing import Sealer

log = logging.getLogger("platform.two_factor")

ISSUER = "Gaming Platform"
"""What an authenticator shows above the player's name."""

STEP_MS = 30_000
DRIFT_STEPS = 1
CODE = re.compile(r"[0-9]{6}", re.ASCII)

MAX_WRONG_CODES = 5
WRONG_CODE_WINDOW_MS = 5 * 60 * 1000
# A request may be older than those that it waited for; what lies further ahead is of a clock that was wrong.
LATENESS_MS = 60 * 1000


class MalformedCode(PlatformError):
    """Not a text of six ASCII digits. Does not count as a guess."""

    text = "The code must be a text of 6 digits"


class AlreadyEnabled(PlatformError):
    """There is nothing to set up any more."""

    text = "2FA is already enabled"


class SetupNotInitiated(PlatformError):
    """No secret was given out that a code could belong to."""

    text = "2FA setup has not been initiated"


class NotEnabled(PlatformError):
    """There is nothing to turn off."""

    text = "2FA is not enabled"


class InvalidCode(PlatformError):
    """Not the code of this time, or one that was used before."""

    text = "Invalid 2FA code"


class SecretLost(PlatformError):
    """No key that is known opens the secret: neither a right code nor a wrong one can be told."""

    text = "The 2FA secret can no longer be read; set 2FA up again, or ask support to reset it"


class TooManyWrongCodes(PlatformError):
    """Five wrong codes within five minutes: until they have passed not even the right one counts."""

    status = 429
    text = "Too many wrong 2FA codes"

    def __init__(self, *, retry_after_seconds: int) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True)
class Setup:
    """What an authenticator has to be given: the secret in base 32, or the address that a QR code shows."""

    secret: str = field(repr=False)
    address: str = field(repr=False)


class TwoFactorAuthentication:
    """Sets up, turns on and turns off. Secrets are sealed in the database."""

    def __init__(self, *, secret_key: str, previous_keys: Sequence[str] = ()) -> None:
        self._sealer = Sealer(
            secret_key=secret_key, previous_keys=previous_keys, purpose="two-factor secrets"
        )

    def setup(self, *, user_id: int) -> Setup:
        """Draw a secret that counts once a code of it has been seen; it replaces one that never did.

        Raises AlreadyEnabled.
        """
        secret = pyotp.random_base32()
        sealed = self._sealer.seal(secret)
        with writing():
            user = _lock(user_id)
            if user.two_factor_enabled:
                raise AlreadyEnabled
            TwoFactor.delete().where(TwoFactor.user == user_id).execute()
            TwoFactor.insert(user=user_id, sealed_secret=sealed).execute()
        address = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=ISSUER)
        return Setup(secret, address)

    def enable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn on what was set up; the code is used up by it.

        Raises MalformedCode, AlreadyEnabled, SetupNotInitiated, InvalidCode, TooManyWrongCodes, SecretLost.
        """
        code = _six_digits(code)
        with writing():
            if _lock(user_id).two_factor_enabled:
                raise AlreadyEnabled
            kept = TwoFactor.get_or_none(TwoFactor.user == user_id)
            if kept is None:
                raise SetupNotInitiated
            refusal = self._use(code, user_id=user_id, sealed_secret=kept.sealed_secret, now=now)
            if refusal is None:
                User.update(two_factor_enabled=True).where(User.id == user_id).execute()
                notify(
                    user_id=user_id,
                    title="2FA turned on",
                    message="Two-factor authentication was turned on for your account.",
                    now=now,
                )
        # Raised out here: in the transaction it would take the count of wrong codes back.
        if refusal is not None:
            raise refusal

    def disable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn off, and forget the secret.

        Raises MalformedCode, NotEnabled, InvalidCode, TooManyWrongCodes and SecretLost.
        """
        code = _six_digits(code)
        with writing():
            enabled = _lock(user_id).two_factor_enabled
            kept = TwoFactor.get_or_none(TwoFactor.user == user_id)
            if not enabled or kept is None:
                raise NotEnabled
            refusal = self._use(code, user_id=user_id, sealed_secret=kept.sealed_secret, now=now)
            if refusal is None:
                _turn_off(user_id, by="", now=now)
        if refusal is not None:
            raise refusal

    def reset(self, *, user_id: int, now: Millis) -> None:
        """Turn off without a code, for a player who has none any more. Raises NotEnabled."""
        with writing():
            if not _lock(user_id).two_factor_enabled:
                raise NotEnabled
            _turn_off(user_id, by=" by support", now=now)

    def renew(self, sealed: str) -> str:
        """A sealed secret under the current key. Raises cryptography.fernet.InvalidToken."""
        return self._sealer.renew(sealed)

    def _use(self, code: str, *, user_id: int, sealed_secret: str, now: Millis) -> PlatformError | None:
        """Spend a code; what is wrong with it, if anything. Wrong ones are counted.

        The player's row is locked, so of many guesses at once only as many are looked at as are allowed.
        A right code neither counts nor clears what was counted.
        """
        gone_by = WrongCode.at_ms <= now - WRONG_CODE_WINDOW_MS
        by_a_wrong_clock = WrongCode.at_ms > now + LATENESS_MS
        WrongCode.delete().where(WrongCode.user == user_id, gone_by | by_a_wrong_clock).execute()
        wrong = list(
            WrongCode.select(WrongCode.at_ms)
            .where(WrongCode.user == user_id)
            .order_by(WrongCode.at_ms.desc())
            .limit(MAX_WRONG_CODES)
            .scalars()
        )
        if len(wrong) == MAX_WRONG_CODES:
            wait_ms = wrong[-1] + WRONG_CODE_WINDOW_MS - now
            return TooManyWrongCodes(retry_after_seconds=-(-wait_ms // 1000))
        try:
            secret = self._sealer.open(sealed_secret)
        except InvalidToken:
            log.exception("two-factor secret unreadable", extra={"event": "two_factor"})
            return SecretLost()
        step = _step_of(code, secret=secret, now=now)
        if step is not None and _spend(user_id, step, now=now):
            return None
        WrongCode.insert(user=user_id, at_ms=now).execute()
        return InvalidCode()


def _lock(user_id: int) -> User:
    """The player, whose row is locked until the end of the transaction. Raises PlayerGone."""
    if not User.update(two_factor_enabled=User.two_factor_enabled).where(User.id == user_id).execute():
        raise PlayerGone
    user: User = User.get_by_id(user_id)
    return user


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
    """The time step that a code belongs to, one of drift each way; None when it is none of them."""
    totp = pyotp.TOTP(secret)
    current = now // STEP_MS
    found = None
    # All are compared, each in constant time: how long it takes tells nothing.
    for step in range(max(current - DRIFT_STEPS, 0), current + DRIFT_STEPS + 1):
        if hmac.compare_digest(totp.generate_otp(step), code):
            found = step
    return found


def _spend(user_id: int, step: int, *, now: Millis) -> bool:
    """Whether this step was still unused: of many uses of one code one gets a row, in whatever process.

    A step that was used ahead of all that can be used now was so under a wrong clock, and stops no other. It
    is forgotten then, but so is the secret: turning on is the first use of one, turning off the last.
    """
    last = TwoFactor.last_used_step
    unused = last.is_null() | (last < step) | (last > now // STEP_MS + DRIFT_STEPS)
    update = TwoFactor.update(last_used_step=step).where(TwoFactor.user == user_id, unused)
    return bool(update.execute())
