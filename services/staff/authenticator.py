"""The authenticator of a member of staff. Each code works once."""

import pyotp
from cryptography.fernet import InvalidToken

from models.staff import StaffAccount
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.totp import DRIFT_STEPS, SIX_DIGITS, STEP_MS, step_of

ISSUER = "Gaming Platform Office"
"""Shown by an authenticator app above the name of the account."""


def new_secret() -> str:
    """A new secret, in base 32."""
    return pyotp.random_base32()


def provisioning_address(secret: str, *, name: str) -> str:
    """The otpauth address for the QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=ISSUER)


def use_code(code: str, *, account: StaffAccount, encrypter: Encrypter, now: Millis) -> bool:
    """Use up a code. Returns whether it is right, and neither it nor a later one was used before.

    The guarded update decides between two uses of the same code, in any process. To be used within
    ``writing()``.
    """
    code = code.replace(" ", "")
    if not SIX_DIGITS.fullmatch(code) or account.encrypted_secret is None:
        return False
    try:
        secret = encrypter.decrypt(account.encrypted_secret)
    except InvalidToken:
        return False
    step = step_of(code, secret=secret, now=now)
    if step is None:
        return False
    last = StaffAccount.last_used_step
    # A last step beyond the allowed drift was used while the clock was wrong, and does not count.
    is_unused = last.is_null() | (last < step) | (last > now // STEP_MS + DRIFT_STEPS)
    update = StaffAccount.update(last_used_step=step).where(StaffAccount.id == account.id, is_unused)
    return bool(update.execute())
