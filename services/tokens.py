"""Access tokens: signed JWTs that name a player until they expire."""

import re
import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jwt
from cachetools import LRUCache, cachedmethod

from services.clock import Millis
from services.errors import Unauthorized

ALGORITHM = "HS256"
TOKENS_REMEMBERED = 10_000
"""Whose signatures are not computed again, which takes 50 µs: a token comes with every request."""

PLATFORM_ID = re.compile(r"[A-Za-z0-9_-]{1,80}", re.ASCII)


FUTURE_MS = 24 * 3600 * 1000
"""A token that was issued later than this from now is not good yet: it comes from a clock that was wrong, and
would be good for as much longer. Less is what clocks differ by, and ends nobody's session."""


@dataclass(frozen=True)
class Claims:
    """Whom a token of ours names, and from when until when it is good."""

    platform_id: str
    expires_at: Millis
    good_from: float = 0
    """In ms, too; whoever signs may have a finer clock."""


class Tokens:
    """Issues tokens under one secret, for one issuer; takes those of its previous secrets as well."""

    def __init__(
        self, *, secret: str, issuer: str, ttl_seconds: int, previous_secrets: Sequence[str] = ()
    ) -> None:
        self._secret = secret
        self._accepted = (secret, *previous_secrets)
        self._issuer = issuer
        self._ttl_seconds = ttl_seconds
        self._verified: LRUCache[str, Claims] = LRUCache(maxsize=TOKENS_REMEMBERED)
        self._guard = threading.Lock()

    def issue(self, *, platform_id: str, now: Millis) -> str:
        issued_at = now // 1000
        claims = {
            "sub": platform_id,
            "iat": issued_at,
            "exp": issued_at + self._ttl_seconds,
            "iss": self._issuer,
            "jti": uuid.uuid4().hex,
        }
        return jwt.encode(claims, self._secret, algorithm=ALGORITHM)

    def check(self, token: object, *, now: Millis) -> Claims:
        """Whom the token names. Raises Unauthorized for anything but our own, unexpired token."""
        if not isinstance(token, str):
            raise Unauthorized
        claims = self._claims(token)
        if not claims.good_from <= now < claims.expires_at:
            raise Unauthorized
        return claims

    @cachedmethod(lambda self: self._verified, lock=lambda self: self._guard)
    def _claims(self, token: str) -> Claims:
        """What a token of ours says, expired or not. Raises Unauthorized."""
        content = self._content(token)
        platform_id, expires = content["sub"], content["exp"]
        if (
            not PLATFORM_ID.fullmatch(platform_id)
            or isinstance(expires, bool)
            or not isinstance(expires, int)
        ):
            raise Unauthorized
        issued = content.get("iat")
        good_from = issued * 1000 - FUTURE_MS if isinstance(issued, int | float) else 0
        return Claims(platform_id, Millis(expires * 1000), good_from)

    def _content(self, token: str) -> dict[str, Any]:
        """The content of a token that one of our secrets signed for this issuer. Raises Unauthorized."""
        for secret in self._accepted:
            try:
                content: dict[str, Any] = jwt.decode(
                    token,
                    secret,
                    algorithms=[ALGORITHM],
                    issuer=self._issuer,
                    # The time is compared with the clock that everything else goes by.
                    options={"require": ["sub", "exp", "iss"], "verify_exp": False, "verify_iat": False},
                )
            except jwt.InvalidSignatureError:
                continue
            except (jwt.InvalidTokenError, UnicodeError):
                raise Unauthorized from None
            return content
        raise Unauthorized
