"""What staff sign in with: passwords, kept as argon2 hashes, and codes of authenticators, each used once."""

import unicodedata
from functools import cache
from pathlib import Path

import argon2
import pyotp
from cryptography.fernet import InvalidToken

from models.staff import StaffAccount
from services.shared.background import WorkerPool
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Refusal
from services.shared.text import is_storable
from services.shared.totp import DRIFT_STEPS, SIX_DIGITS, STEP_MS, step_of

MIN_LENGTH = 12
MAX_LENGTH = 256

COMMON_PASSWORDS = Path(__file__).with_name("common_passwords.txt")
"""Those with MIN_LENGTH characters of the 19,640 commonest, which Django has in its order of frequency.

It is ``common-passwords.txt.gz`` of Django 5.2, without the shorter ones, sorted. In lowercase.
"""


@cache
def common_passwords() -> frozenset[str]:
    """The common passwords that are not too short."""
    return frozenset(COMMON_PASSWORDS.read_text(encoding="utf-8").split("\n"))


def check_new(password: str, *, name: str) -> None:
    """Raises Refusal for a password that is short, common, or made of the account's name."""
    if len(password) < MIN_LENGTH:
        raise Refusal(f"The password must have at least {MIN_LENGTH} characters")
    if len(password) > MAX_LENGTH or not is_storable(password):
        raise Refusal(f"The password must be a text of at most {MAX_LENGTH} characters")
    if password.lower().strip() in common_passwords() or not password.lower().replace(name, "").strip():
        raise Refusal("The password is one of the commonest: choose another one")


def _normal_form(password: str) -> str:
    """Phones and computers send the same letters in different forms."""
    return unicodedata.normalize("NFKC", password)


class Passwords:
    """Hashes and verifies in a native thread: one hash takes some 50 ms and 19 MB.

    The parameters are those that OWASP recommends. More would let strangers who try to sign in take more from
    the players on the same machine; a password alone is not enough to sign in anyway.
    """

    def __init__(self) -> None:
        self._hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._workers = WorkerPool()
        self._of_nobody: str | None = None

    def hash(self, password: str) -> str:
        """The hash of a password, with a salt. Raises Unavailable."""
        return self._workers.run(self._hasher.hash, _normal_form(password))

    def is_right(self, password: str, password_hash: str | None) -> bool:
        """Whether the hash is of this password. Raises Unavailable.

        Without a hash, which means that there is no such account, it takes as long and is False.
        """
        return self._workers.run(self._is_right, password, password_hash)

    def _is_right(self, password: str, password_hash: str | None) -> bool:
        if self._of_nobody is None:
            self._of_nobody = self._hasher.hash("of nobody")
        try:
            self._hasher.verify(password_hash or self._of_nobody, _normal_form(password[:MAX_LENGTH]))
        except argon2.exceptions.VerificationError:
            return False
        return password_hash is not None


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
