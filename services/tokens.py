"""Access tokens: signed JWTs that name a player until they expire."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from services.clock import Millis
from services.errors import Unauthorized

ALGORITHM = "HS256"
PLATFORM_ID = re.compile(r"[A-Za-z0-9_-]{1,80}", re.ASCII)


FUTURE_MS = 24 * 3600 * 1000
"""A token that was issued later than this from now is not good yet: it comes from a clock that was wrong, and
would be good for as much longer. Less is what clocks differ by, and ends nobody's session."""


@dataclass(frozen=True)
class Claims:
    """Who a good token names, and when it stops being good."""

    platform_id: str
    expires_at: Millis


class Tokens:
    """Issues tokens under one secret, for one issuer; takes those of its previous secrets as well."""

    def __init__(
        self, *, secret: str, issuer: str, ttl_seconds: int, previous_secrets: Sequence[str] = ()
    ) -> None:
        self._secret = secret
        self._accepted = (secret, *previous_secrets)
        self._issuer = issuer
        self._ttl_seconds = ttl_seconds

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
        claims = self._verified(token)
        platform_id, expires = claims["sub"], claims["exp"]
        if (
            not PLATFORM_ID.fullmatch(platform_id)
            or isinstance(expires, bool)
            or not isinstance(expires, int)
        ):
            raise Unauthorized
        if expires * 1000 <= now or _is_of_the_future(claims.get("iat"), now):
            raise Unauthorized
        return Claims(platform_id, Millis(expires * 1000))

    def _verified(self, token: object) -> dict[str, Any]:
        """The claims of a token that one of our secrets signed for this issuer. Raises Unauthorized."""
        if not isinstance(token, str):
            raise Unauthorized
        for secret in self._accepted:
            try:
                claims: dict[str, Any] = jwt.decode(
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
            return claims
        raise Unauthorized


def _is_of_the_future(issued_at: object, now: Millis) -> bool:
    return isinstance(issued_at, int | float) and issued_at * 1000 > now + FUTURE_MS
