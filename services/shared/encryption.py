"""Encrypts secrets that are stored in the database, with keys derived from SECRET_KEY."""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Sealer:
    """Authenticated encryption of texts for one purpose; a sealer of another purpose can't open them.

    ``previous_keys`` only open texts that were sealed with them.
    """

    def __init__(self, *, secret_key: str, purpose: str, previous_keys: Sequence[str] = ()) -> None:
        self._current = _fernet(secret_key, purpose)
        self._any = MultiFernet([self._current, *(_fernet(key, purpose) for key in previous_keys)])

    def seal(self, text: str) -> str:
        return self._current.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Raises cryptography.fernet.InvalidToken for an altered text, and for one of an unknown key."""
        return self._any.decrypt(sealed.encode()).decode()

    def renew(self, sealed: str) -> str:
        """The text sealed with the current key; unchanged if it is already. Raises InvalidToken."""
        try:
            self._current.decrypt(sealed.encode())
        except InvalidToken:
            return self.seal(self.open(sealed))
        return sealed


def _fernet(secret_key: str, purpose: str) -> Fernet:
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose.encode())
    return Fernet(base64.urlsafe_b64encode(derived.derive(secret_key.encode())))
