"""Sealing secrets that must lie in the database: authenticated encryption under keys from SECRET_KEY."""

import base64

from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Sealer:
    """Seals texts for one purpose; what one purpose sealed no other can open."""

    def __init__(self, *, secret_key: str, purpose: str) -> None:
        derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose.encode())
        self._fernet = Fernet(base64.urlsafe_b64encode(derived.derive(secret_key.encode())))

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Raises cryptography.fernet.InvalidToken when it was sealed under another key or changed."""
        return self._fernet.decrypt(sealed.encode()).decode()
