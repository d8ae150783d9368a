"""Two-factor codes: six digits of the authenticator app, or a recovery code of a player who has lost it.

Each works once. Wrong ones are counted.
"""

import base64
import hmac
import logging
import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import peewee
from cryptography.fernet import InvalidToken

from models.db.connection import reading, writing
from models.logins import RecoveryCode, TwoFactor, WrongCode
from services.accounts.notifications import notify
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import CLOCK_TOLERANCE_MS, DAY_MS, MINUTE_MS, Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Refusal
from services.shared.totp import DRIFT_STEPS, SIX_DIGITS, STEP_MS, step_of

log = logging.getLogger("platform.two_factor")

WRONG_CODE_WINDOW_MS = 5 * MINUTE_MS


class Bound(NamedTuple):
    """So many wrong codes within this time block further codes, also right ones, until it has passed."""

    most: int
    window_ms: int


SHORT_BOUND = Bound(5, WRONG_CODE_WINDOW_MS)
DAILY_BOUND = Bound(20, DAY_MS)
"""Does not block the code of a login, so that guesses with a stolen token do not lock the player out."""

BOUNDS = SHORT_BOUND, DAILY_BOUND

RECOVERY_CODES = 10
"""How many a player gets at once."""
RECOVERY_CODE = re.compile(r"[A-Za-z2-7]{12}", re.ASCII)


class CodeRefused(Refusal):
    """A well-formed code is refused."""


class InvalidCode(CodeRefused):
    """The code is neither of the current time nor a recovery code, or it was used before."""

    text = "Invalid 2FA code"


class SecretLost(CodeRefused):
    """No known key decrypts the secret, so no code can be checked."""

    text = "The 2FA secret can no longer be read; set 2FA up again, or ask support to reset it"


class TooManyWrongCodes(CodeRefused):
    """As many wrong codes as a bound allows. Until its time has passed, the right code is refused too."""

    status = 429
    text = "Too many wrong 2FA codes"


def six_digits(value: object) -> str:
    """A code of the authenticator app, without blanks. Raises Refusal, which does not count as a guess."""
    code = _without_blanks(value)
    if not SIX_DIGITS.fullmatch(code):
        raise Refusal("The code must be a text of 6 digits")
    return code


def any_code(value: object) -> str | None:
    """Six digits, or a recovery code in lowercase without dashes, both without blanks; else None."""
    code = _without_blanks(value)
    if SIX_DIGITS.fullmatch(code):
        return code
    code = code.replace("-", "")
    return code.lower() if RECOVERY_CODE.fullmatch(code) else None


def _without_blanks(value: object) -> str:
    """Authenticator apps show ``123 456``. Empty for what is no text."""
    return "".join(value.split()) if isinstance(value, str) else ""


@contextmanager
def committing_refusals() -> Iterator[None]:
    """A write transaction that is committed when ``use`` refuses a code in it, so that wrong codes count."""
    refusal = None
    with writing():
        try:
            yield
        except CodeRefused as raised:
            refusal = raised
    if refusal is not None:
        raise refusal


def use(
    code: str | None,
    *,
    user_id: int,
    encrypter: Encrypter,
    now: Millis,
    is_login: bool = False,
) -> None:
    """Use up a code of the player, whose row is locked, in a ``committing_refusals`` block.

    None, which stands for a malformed code, is refused and not counted. A right code does not reset the
    count. Raises Refusal without a setup, TooManyWrongCodes, InvalidCode, SecretLost.
    """
    row = TwoFactor.get_or_none(TwoFactor.user == user_id)
    if row is None:
        raise Refusal("2FA setup has not been initiated")
    WrongCode.delete().where(WrongCode.user == user_id, ~_is_of_a_day(now)).execute()
    wrong = _wrong_codes_of_a_day(user_id, now=now)
    bounds = [SHORT_BOUND] if is_login else BOUNDS
    if (until := _end_of_block(wrong, bounds, now=now)) is not None:
        raise TooManyWrongCodes(retry_after_seconds=-(-(until - now) // 1000))
    if code is None:
        raise InvalidCode
    try:
        if SIX_DIGITS.fullmatch(code):
            step = step_of(code, secret=encrypter.decrypt(row.encrypted_secret), now=now)
            is_right = step is not None and _use_up(user_id, step, now=now)
        else:
            is_right = _use_recovery_code(code, user_id=user_id, encrypter=encrypter, now=now)
    except InvalidToken:
        log.exception("two-factor secret unreadable", extra={"event": "two_factor"})
        raise SecretLost from None
    if is_right:
        return
    WrongCode.insert(user=user_id, at_ms=now).execute()
    wrong.append(now)
    if any(_number_within(window_ms, wrong, now=now) == most for most, window_ms in BOUNDS):
        record(AuditEventType.TWO_FACTOR_LOCKED, now=now, user_id=user_id)
    raise InvalidCode


def lift_daily_bound(*, user_id: int, now: Millis) -> None:
    """Forget the player's wrong codes, except those that count for the short bound."""
    is_older = WrongCode.at_ms <= now - WRONG_CODE_WINDOW_MS
    WrongCode.delete().where(WrongCode.user == user_id, is_older).execute()


def _wrong_codes_of_a_day(user_id: int, *, now: Millis) -> list[int]:
    """The times of the player's wrong codes of the last day in ms, oldest first."""
    times = WrongCode.select(WrongCode.at_ms).where(WrongCode.user == user_id, _is_of_a_day(now))
    return list(times.order_by(WrongCode.at_ms).scalars())


def _is_of_a_day(now: Millis) -> peewee.Expression:
    return WrongCode.at_ms.between(now - DAY_MS + 1, now + CLOCK_TOLERANCE_MS)


def _end_of_block(wrong: Sequence[int], bounds: Iterable[Bound], *, now: Millis) -> Millis | None:
    """When the bounds that are reached allow a code again, the latest of them; None if none is reached."""
    ends = [
        wrong[-most] + window_ms
        for most, window_ms in bounds
        if _number_within(window_ms, wrong, now=now) >= most
    ]
    return Millis(max(ends)) if ends else None


def _number_within(window_ms: int, wrong: Sequence[int], *, now: Millis) -> int:
    return sum(at_ms > now - window_ms for at_ms in wrong)


def _use_up(user_id: int, step: int, *, now: Millis) -> bool:
    """Mark the code of this step as used. Returns whether it and all later ones were unused.

    A last step beyond the allowed drift was used while the clock was wrong, and does not count. Its code
    can't be used again: enabling is the first use of a secret, and disabling deletes it.
    """
    last = TwoFactor.last_used_step
    unused = last.is_null() | (last < step) | (last > now // STEP_MS + DRIFT_STEPS)
    update = TwoFactor.update(last_used_step=step).where(TwoFactor.user == user_id, unused)
    return bool(update.execute())


@reading()
def blocked_until(user_id: int, *, now: Millis) -> Millis | None:
    """Until when even the right code of the player is refused outside of a login; None if it is not."""
    return _end_of_block(_wrong_codes_of_a_day(user_id, now=now), BOUNDS, now=now)


def draw_recovery_codes() -> list[str]:
    """New codes, as players see them: ``abcd-efgh-2345``, 60 random bits each."""
    drawn = (base64.b32encode(secrets.token_bytes(10)).decode().lower() for _ in range(RECOVERY_CODES))
    return [f"{text[:4]}-{text[4:8]}-{text[8:12]}" for text in drawn]


def _use_recovery_code(code: str, *, user_id: int, encrypter: Encrypter, now: Millis) -> bool:
    """Delete a code of the player, whose row is locked, and notify the player. Returns whether it was there.

    When a code is used several times at once, in any process, one use deletes the row. Raises InvalidToken.
    """
    rows = list(RecoveryCode.select().where(RecoveryCode.user == user_id))
    for row in rows:
        if hmac.compare_digest(encrypter.decrypt(row.encrypted_code), code):
            if not RecoveryCode.delete().where(RecoveryCode.id == row.id).execute():
                return False
            left = len(rows) - 1
            record(AuditEventType.RECOVERY_CODE_USED, now=now, user_id=user_id, after={"codesLeft": left})
            notify(
                user_id=user_id,
                title="Recovery code used",
                message=f"A recovery code of your account was used. Codes left: {left}.",
                now=now,
            )
            return True
    return False


@reading()
def count_recovery_codes(user_id: int) -> int:
    """How many codes the player has left."""
    return int(RecoveryCode.select().where(RecoveryCode.user == user_id).count())
