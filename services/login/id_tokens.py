"""Signature and claims of an OpenID Connect provider's id tokens, checked by authlib.

Source: OpenID Connect Core 1.0, section 3.1.3.7.
"""

from collections.abc import Mapping
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, ClaimError, InvalidKeyIdError, JoseError

from services.login.discovery import REFETCH_MS, Discovery
from services.login.errors import LoginFailed
from services.shared.clock import Millis
from services.shared.text_validation import is_storable

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
"""Asymmetric only: with HS256 anybody who knows the public key could sign."""

LEEWAY_SECONDS = 60
MAX_SUBJECT = 255
GOOGLE = "https://accounts.google.com"


def read_id_token(
    token: object,
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    access_token: str | None,
    discovery: Discovery,
    now: Millis,
) -> Mapping[str, Any]:
    """The claims of a valid id token. Raises LoginFailed, ProviderUnavailable."""
    if not isinstance(token, str):
        raise LoginFailed("no id token")
    # Google omits the scheme in some tokens. Source: its OpenID Connect documentation.
    issuers = [issuer, "accounts.google.com"] if issuer == GOOGLE else [issuer]
    options = {"iss": {"values": issuers}, "aud": {"value": client_id}}
    params = {"client_id": client_id, "nonce": nonce, "access_token": access_token}
    try:
        decoded = _decode(token, discovery, now)
        claims = CodeIDToken(decoded.claims, decoded.header, options=options, params=params)
        claims.validate(now=now // 1000, leeway=LEEWAY_SECONDS)
    except ClaimError as error:
        raise LoginFailed(f"the id token's {error.claim} is invalid") from error
    # The library raises some of these for claims of the wrong type.
    except (JoseError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise LoginFailed("the id token is invalid") from error
    subject = decoded.claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT or not is_storable(subject):
        raise LoginFailed("the id token's sub is invalid")
    return decoded.claims


def _decode(token: str, discovery: Discovery, now: Millis) -> jwt.Token:
    try:
        return jwt.decode(token, discovery.keys(now=now), algorithms=ALGORITHMS)
    # The provider may have replaced its keys, perhaps under the same id.
    except (InvalidKeyIdError, BadSignatureError):
        return jwt.decode(token, discovery.keys(now=now, max_age_ms=REFETCH_MS), algorithms=ALGORITHMS)
