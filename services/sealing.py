"""Sealing secrets that must lie in the database: authenticated encryption under keys from SECRET_KEY."""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Sealer:
    """Seals texts for one purpose; what one purpose sealed no other can open.

    ``previous_keys`` open what they once sealed; nothing is sealed under them any more.
    """

    def __init__(self, *, secret_key: str, purpose: str, previous_keys: Sequence[str] = ()) -> None:
        self._current = _fernet(secret_key, purpose)
        self._any = MultiFernet([self._current, *(_fernet(key, purpose) for key in previous_keys)])

    def seal(self, text: str) -> str:
        return self._current.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Raises cryptography.fernet.InvalidToken when it was sealed under a key not given, or changed."""
        return self._any.decrypt(sealed.encode()).decode()

    def renew(self, sealed: str) -> str:
        """The same sealed under the current key; itself when it is already. Raises InvalidToken."""
        try:
            self._current.decrypt(sealed.encode())
        except InvalidToken:
            return self.seal(self.open(sealed))
        return sealed


def _fernet(secret_key: str, purpose: str) -> Fernet:
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose.encode())
    return Fernet(base64.urlsafe_b64encode(derived.derive(secret_key.encode())))
