"""Access tokens: signed JWTs of players."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jwt

from models.users import User
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Unauthorized

ALGORITHM = "HS256"
TOKENS_REMEMBERED = 10_000
"""Checking a signature takes 70 µs, a quarter of a short request, so checked tokens are cached."""

PLATFORM_ID = re.compile(r"[A-Za-z0-9_-]{1,80}", re.ASCII)
TOKEN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)

FUTURE_MS = DAY_MS
"""A token that was issued further in the future than this is refused. The clock was wrong when it was issued,
and the token would be valid for that much longer."""


@dataclass(frozen=True)
class Claims:
    """The player of a valid token, the token number, when it is valid, and its id, if it has one.

    Times are in milliseconds.
    """

    platform_id: str
    token_number: int
    expires_at: Millis
    valid_from: float
    token_id: str | None


class Tokens:
    """Issues tokens with one secret and issuer; also accepts those signed with a previous secret."""

    def __init__(
        self, *, secret: str, issuer: str, ttl_seconds: int, previous_secrets: Sequence[str] = ()
    ) -> None:
        self._secret = secret
        self._accepted = (secret, *previous_secrets)
        self._issuer = issuer
        self._ttl_seconds = ttl_seconds
        self._claims = lru_cache(TOKENS_REMEMBERED)(self._verify)

    def issue(self, user: User, *, now: Millis) -> str:
        """A new token of this player, who may have others."""
        issued_at = now // 1000
        claims = {
            "sub": user.platform_id,
            "session": user.token_number,
            "iat": issued_at,
            "exp": issued_at + self._ttl_seconds,
            "iss": self._issuer,
            "jti": uuid.uuid4().hex,
        }
        return jwt.encode(claims, self._secret, algorithm=ALGORITHM)

    def check(self, token: object, *, now: Millis) -> Claims:
        """The claims of a token. Raises Unauthorized unless this service issued it and it has not expired."""
        if not isinstance(token, str):
            raise Unauthorized
        claims = self._claims(token)
        if not claims.valid_from <= now < claims.expires_at:
            raise Unauthorized
        return claims

    def _verify(self, token: str) -> Claims:
        """The claims of a token with a valid signature, expired or not. Raises Unauthorized."""
        content = self._content(token)
        platform_id, expires = content["sub"], content["exp"]
        number = content.get("session", 0)
        # isinstance() would also accept a boolean.
        if not PLATFORM_ID.fullmatch(platform_id) or type(expires) is not int or type(number) is not int:
            raise Unauthorized
        issued = content.get("iat")
        valid_from = issued * 1000 - FUTURE_MS if isinstance(issued, int | float) else 0
        token_id = content.get("jti")
        if not isinstance(token_id, str) or not TOKEN_ID.fullmatch(token_id):
            token_id = None
        return Claims(platform_id, number, Millis(expires * 1000), valid_from, token_id)

    def _content(self, token: str) -> dict[str, Any]:
        """The payload of a token signed with one of the secrets for this issuer. Raises Unauthorized."""
        for secret in self._accepted:
            try:
                content: dict[str, Any] = jwt.decode(
                    token,
                    secret,
                    algorithms=[ALGORITHM],
                    issuer=self._issuer,
                    # Times are compared with the application's own clock.
                    options={"require": ["sub", "exp", "iss"], "verify_exp": False, "verify_iat": False},
                )
            except jwt.InvalidSignatureError:
                continue
            except (jwt.InvalidTokenError, UnicodeError):
                raise Unauthorized from None
            return content
        raise Unauthorized
