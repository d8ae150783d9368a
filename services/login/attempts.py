"""A login under way: what only the browser that began it knows, sealed into a cookie of its own.

Nothing of it is kept here, so a restart or a second process loses no login.
"""

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography.fernet import InvalidToken

from services.clock import Millis
from services.login.errors import AnotherLogin, LoginFailed
from services.sealing import Sealer

ATTEMPT_SECONDS = 600


def _draw() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """The secrets of one login. ``verifier`` is PKCE's, ``nonce`` comes back in the id token."""

    expires_at: Millis
    state: str = field(default_factory=_draw, repr=False)
    nonce: str = field(default_factory=_draw, repr=False)
    verifier: str = field(default_factory=_draw, repr=False)


class Attempts:
    """Begins the logins of one provider, and recognises them when they come back.

    ``previous_keys`` recognise those that were begun before the key was changed.
    """

    def __init__(self, *, secret_key: str, previous_keys: Sequence[str] = (), provider: str) -> None:
        self._sealer = Sealer(
            secret_key=secret_key, previous_keys=previous_keys, purpose=f"login with {provider}"
        )

    def begin(self, *, now: Millis) -> tuple[Attempt, str]:
        """A new attempt, and its sealed form for the browser."""
        attempt = Attempt(expires_at=Millis(now + ATTEMPT_SECONDS * 1000))
        content = [attempt.expires_at, attempt.state, attempt.nonce, attempt.verifier]
        return attempt, self._sealer.seal(json.dumps(content))

    def resume(self, sealed: str | None, *, state: str | None, now: Millis) -> Attempt:
        """The attempt of this browser, if it is the one that comes back, in time.

        Raises LoginFailed, and AnotherLogin when it is another one that comes back.
        """
        if sealed is None:
            raise LoginFailed("not begun in this browser")
        try:
            expires_at, expected, nonce, verifier = json.loads(self._sealer.open(sealed))
        except (InvalidToken, UnicodeError):
            raise LoginFailed("the cookie is not ours") from None
        if now >= expires_at:
            raise LoginFailed("took too long")
        if state is None or not hmac.compare_digest(state.encode(), expected.encode()):
            raise AnotherLogin("another login's state")
        return Attempt(expires_at=expires_at, state=expected, nonce=nonce, verifier=verifier)
