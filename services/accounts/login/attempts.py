"""The state of a login between its two redirects, encrypted into a cookie of the browser that began it.

The server stores nothing, so a restart or a second process loses no login.
"""

import hmac
import json
import secrets
from dataclasses import dataclass, field

from cryptography.fernet import InvalidToken

from services.accounts.login.errors import AnotherLogin, LoginFailed
from services.shared.clock import Millis
from services.shared.encryption import Encrypter

ATTEMPT_SECONDS = 600


def _draw() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """The secrets of one login. ``nonce`` comes back in the id token, ``verifier`` is the one of PKCE."""

    expires_at: Millis
    state: str = field(default_factory=_draw, repr=False)
    nonce: str = field(default_factory=_draw, repr=False)
    verifier: str = field(default_factory=_draw, repr=False)

    def encrypt(self, encrypter: Encrypter) -> str:
        """The value of the cookie."""
        return encrypter.encrypt(json.dumps([self.expires_at, self.state, self.nonce, self.verifier]))


def resume(token: str | None, *, state: str | None, encrypter: Encrypter, now: Millis) -> Attempt:
    """The attempt in this browser's cookie.

    Raises LoginFailed, and AnotherLogin when the ``state`` that comes back belongs to another attempt.
    """
    if token is None:
        raise LoginFailed("not begun in this browser")
    try:
        expires_at, expected, nonce, verifier = json.loads(encrypter.decrypt(token))
    except (InvalidToken, UnicodeError):
        raise LoginFailed("the cookie can't be decrypted") from None
    if now >= expires_at:
        raise LoginFailed("took too long")
    if state is None or not hmac.compare_digest(state.encode(), expected.encode()):
        raise AnotherLogin("another login's state")
    return Attempt(expires_at=expires_at, state=expected, nonce=nonce, verifier=verifier)
