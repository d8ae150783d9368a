"""Encrypts secrets that are stored in the database, with keys derived from SECRET_KEY."""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Encrypter:
    """Authenticated encryption of texts. Each purpose has its own key.

    ``previous_keys`` only decrypt.
    """

    def __init__(self, *, secret_key: str, purpose: str, previous_keys: Sequence[str] = ()) -> None:
        self._current = _fernet(secret_key, purpose)
        self._any = MultiFernet([self._current, *(_fernet(key, purpose) for key in previous_keys)])

    def encrypt(self, text: str) -> str:
        return self._current.encrypt(text.encode()).decode()

    def decrypt(self, encrypted: str) -> str:
        """Raises cryptography.fernet.InvalidToken for an altered text, or an unknown key."""
        return self._any.decrypt(encrypted.encode()).decode()

    def renew(self, encrypted: str) -> str:
        """The same text, encrypted with the current key. Raises InvalidToken."""
        try:
            self._current.decrypt(encrypted.encode())
        except InvalidToken:
            return self.encrypt(self.decrypt(encrypted))
        return encrypted


def derive_key(secret_key: str, purpose: str) -> bytes:
    """The 32 bytes of the key for this purpose."""
    derivation = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose.encode())
    return derivation.derive(secret_key.encode())


def _fernet(secret_key: str, purpose: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(derive_key(secret_key, purpose)))
