"""Id tokens of an OpenID Connect provider: signature and claims.

Source: OpenID Connect Core 1.0, section 3.1.3.7.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from services.clock import Millis
from services.login.discovery import Discovery
from services.login.errors import LoginFailed
from services.text import is_storable

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
"""All of them asymmetric: with HS256 whoever knows the public key, or our secret, could sign."""

LEEWAY_SECONDS = 60
MAX_SUBJECT = 255
GOOGLE = "https://accounts.google.com"


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What an id token must say to be the answer to our question."""

    issuer: str
    client_id: str
    nonce: str
    access_token: str | None


def read_id_token(
    token: object, expected: Expected, *, discovery: Discovery, now: Millis
) -> Mapping[str, Any]:
    """The claims of a good id token. Raises LoginFailed, ProviderUnavailable."""
    if not isinstance(token, str):
        raise LoginFailed("no id token")
    try:
        try:
            read = _decode(token, discovery.keys(now=now))
        # A provider may change its keys without giving them new ids.
        except (InvalidKeyIdError, BadSignatureError):
            read = _decode(token, discovery.newer_keys(now=now))
        claims = CodeIDToken(read.claims, read.header, options=_options(expected), params=_params(expected))
        claims.validate(now=now // 1000, leeway=LEEWAY_SECONDS)
    except ClaimError as error:
        raise LoginFailed(f"the id token's {error.claim} is not right") from error
    # The library's own errors, and what it comes across in tokens that nobody should have signed.
    except (JoseError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise LoginFailed("not a good id token") from error
    subject = read.claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT or not is_storable(subject):
        raise LoginFailed("the id token's sub is not right")
    return read.claims


def _decode(token: str, keys: KeySet) -> jwt.Token:
    return jwt.decode(token, keys, algorithms=ALGORITHMS)


def _options(expected: Expected) -> dict[str, Any]:
    # Google's tokens may leave the scheme out of its name. Source: its OpenID Connect documents.
    issuers = [expected.issuer, "accounts.google.com"] if expected.issuer == GOOGLE else [expected.issuer]
    return {
        "iss": {"essential": True, "values": issuers},
        "aud": {"essential": True, "value": expected.client_id},
        "nonce": {"essential": True, "value": expected.nonce},
    }


def _params(expected: Expected) -> dict[str, Any]:
    return {
        "client_id": expected.client_id,
        "nonce": expected.nonce,
        "access_token": expected.access_token,
    }
