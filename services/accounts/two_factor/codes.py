"""Codes: six digits of the authenticator app, or a recovery code. Each works once; wrong ones are counted.

Source of the six digits: RFC 6238 (30 seconds, SHA-1).
"""

import hmac
import logging
import re

import pyotp
from cryptography.fernet import InvalidToken

from models.two_factor import TwoFactor, WrongCode
from services.accounts.two_factor import recovery_codes
from services.accounts.two_factor.errors import (
    InvalidCode,
    MalformedCode,
    SecretLost,
    SetupNotInitiated,
    TooManyWrongCodes,
)
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import PlatformError

log = logging.getLogger("platform.two_factor")

STEP_MS = 30_000
DRIFT_STEPS = 1
SIX_DIGITS = re.compile(r"[0-9]{6}", re.ASCII)

MAX_WRONG_CODES = 5
WRONG_CODE_WINDOW_MS = 5 * 60 * 1000
LATENESS_MS = 60 * 1000
"""Requests can overtake each other, so what was written with a time up to this much later than now counts.
What is further ahead was written while the clock was wrong, and is ignored."""


def six_digits(value: object) -> str:
    """A code of the authenticator app. Raises MalformedCode."""
    if not isinstance(value, str) or not SIX_DIGITS.fullmatch(value):
        raise MalformedCode
    return value


def any_code(value: object) -> str | None:
    """Six digits, or a recovery code without case and dashes; None for anything else."""
    if not isinstance(value, str):
        return None
    return value if SIX_DIGITS.fullmatch(value) else recovery_codes.normalized(value)


class Codes:
    """Checks codes against the secrets in the database, which are encrypted."""

    def __init__(self, encrypter: Encrypter) -> None:
        self.encrypter = encrypter

    def use(self, code: str | None, *, user_id: int, now: Millis) -> PlatformError | None:
        """Use up a code of the player, whose row is locked. Returns the refusal, if any.

        The caller raises it after the transaction, which would otherwise roll back the count of wrong codes.
        None, which stands for a malformed code, is refused and not counted. A right code does not reset the
        count. Raises SetupNotInitiated.
        """
        row = TwoFactor.get_or_none(TwoFactor.user == user_id)
        if row is None:
            raise SetupNotInitiated
        refusal = _refusal_by_count(user_id, now=now)
        if refusal is not None:
            return refusal
        if code is None:
            return InvalidCode()
        try:
            if self._use_right(code, row.sealed_secret, user_id=user_id, now=now):
                return None
        except InvalidToken:
            log.exception("two-factor secret unreadable", extra={"event": "two_factor"})
            return SecretLost()
        WrongCode.insert(user=user_id, at_ms=now).execute()
        if WrongCode.select().where(WrongCode.user == user_id).count() == MAX_WRONG_CODES:
            record(What.TWO_FACTOR_LOCKED, now=now, user_id=user_id)
        return InvalidCode()

    def _use_right(self, code: str, sealed_secret: str, *, user_id: int, now: Millis) -> bool:
        """Use up a code; returns whether it was right and unused. Raises InvalidToken."""
        if not SIX_DIGITS.fullmatch(code):
            return recovery_codes.use(code, user_id=user_id, encrypter=self.encrypter, now=now)
        step = _step_of(code, secret=self.encrypter.decrypt(sealed_secret), now=now)
        return step is not None and _use_up(user_id, step, now=now)


def _refusal_by_count(user_id: int, *, now: Millis) -> TooManyWrongCodes | None:
    """Delete the player's old wrong codes; returns the refusal of every code if there are five others."""
    is_recent = WrongCode.at_ms.between(now - WRONG_CODE_WINDOW_MS + 1, now + LATENESS_MS)
    WrongCode.delete().where(WrongCode.user == user_id, ~is_recent).execute()
    wrong = list(WrongCode.select(WrongCode.at_ms).where(WrongCode.user == user_id).scalars())
    if len(wrong) < MAX_WRONG_CODES:
        return None
    wait_ms = min(wrong) + WRONG_CODE_WINDOW_MS - now
    return TooManyWrongCodes(retry_after_seconds=-(-wait_ms // 1000))


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
