"""Passwords of staff: which are accepted, and their argon2 hashes."""

import unicodedata
from functools import cache
from pathlib import Path

import argon2

from services.shared.background import WorkerPool
from services.shared.errors import Refusal
from services.shared.text import is_storable

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
