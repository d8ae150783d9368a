"""Login with the general identity provider: OpenID Connect, code flow with PKCE.

Sources: OpenID Connect Core 1.0 (id tokens: section 3.1.3.7) and Discovery 1.0, RFC 7636, RFC 9207.
"""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from authlib.common.security import is_secure_transport
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import JWKRegistry, KeySet

from services.accounts.login.providers import (
    Attempt,
    LoginFailed,
    Person,
    ProviderUnavailable,
    avatar_of,
    bounded_call,
    get_document,
    username_of,
)
from services.shared.clock import Millis
from services.shared.text import is_storable

CACHE_MS = 3_600_000
REFETCH_MS = 60_000
URLS = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")

Metadata = dict[str, Any]
"""The discovery document of a provider."""

SCOPE = "openid profile"

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
"""Asymmetric only: with HS256 anybody who knows the public key could sign."""

LEEWAY_SECONDS = 60
MAX_SUBJECT = 255
GOOGLE = "https://accounts.google.com"


class Discovery:
    """The metadata and public keys of the provider with this discovery document, cached for an hour.

    authlib's own client for this is not used: it turns every member of the provider's document into an option
    of the HTTP session (``verify`` and ``proxies`` among them), and never reads the document again.

    There is no lock: when the cache has expired, concurrent requests each fetch the document instead of
    waiting for one another while the provider is down.
    """

    def __init__(self, *, url: str) -> None:
        self._url = url
        self._cache: dict[str, tuple[Millis, Any]] = {}

    def metadata(self, *, now: Millis) -> Metadata:
        """The metadata, with the endpoints that a login needs. Raises ProviderUnavailable."""
        return cast(Metadata, self._cached(self._url, _metadata, max_age_ms=CACHE_MS, now=now))

    def keys(self, *, now: Millis, max_age_ms: int = CACHE_MS) -> KeySet:
        """The public keys. Raises ProviderUnavailable."""
        url = self.metadata(now=now)["jwks_uri"]
        return cast(KeySet, self._cached(url, _keys, max_age_ms=max_age_ms, now=now))

    def _cached(
        self, url: str, parse: Callable[[dict[str, Any]], Any], *, max_age_ms: int, now: Millis
    ) -> Any:
        cached = self._cache.get(url)
        # An age below 0: the clock has been set back.
        if cached is None or not 0 <= now - cached[0] < max_age_ms:
            cached = self._cache[url] = (now, parse(get_document(url)))
        return cached[1]


def _metadata(document: dict[str, Any]) -> Metadata:
    # The issuer is not compared with the discovery URL, which the operator chose.
    urls = [document.get(name) for name in URLS]
    if "userinfo_endpoint" in document:
        urls.append(document["userinfo_endpoint"])
    # https, or http to this machine.
    if not all(isinstance(url, str) and url.isascii() and is_secure_transport(url) for url in urls):
        raise ProviderUnavailable("an address in the discovery document is missing or not secure")
    return document


def _keys(document: dict[str, Any]) -> KeySet:
    published, usable = document.get("keys"), []
    for key in published if isinstance(published, list) else ():
        # Others are ignored (RFC 7517, section 5), such as one of a curve that the library does not know.
        with suppress(JoseError, ValueError, TypeError, KeyError, AttributeError):
            usable.append(JWKRegistry.import_key(key))
    if not usable:
        raise ProviderUnavailable("the provider's keys can't be read")
    return KeySet(usable)


class IdentityProvider:
    """The provider whose discovery document is at ``discovery_url``."""

    def __init__(self, *, discovery_url: str, client_id: str, client_secret: str, base_url: str) -> None:
        self._discovery = Discovery(url=discovery_url)
        self._client_id = client_id
        self._client_secret = client_secret
        self._redirect_uri = f"{base_url}/auth/identity/callback"

    def login_url(self, attempt: Attempt, *, now: Millis) -> str:
        metadata = self._discovery.metadata(now=now)
        with self._session(metadata) as session:
            url, _ = session.create_authorization_url(
                metadata["authorization_endpoint"],
                state=attempt.state,
                nonce=attempt.id_token_nonce,
                code_verifier=attempt.code_verifier,
            )
        return str(url)

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:
        """The person named by the id token that the provider returns for the code in these parameters."""
        metadata = self._discovery.metadata(now=now)
        _check_issuer(parameters, metadata)
        code = parameters.get("code")
        if "error" in parameters or not code:
            raise LoginFailed("cancelled, or no code")
        tokens = self._redeem(code, attempt, metadata)
        access_token = tokens.get("access_token")
        if not isinstance(access_token, str):
            access_token = None
        check = {"client_id": self._client_id, "nonce": attempt.id_token_nonce, "access_token": access_token}
        claims = self._claims(tokens.get("id_token"), check, issuer=metadata["issuer"], now=now)
        profile = _profile(claims, access_token, metadata)
        return Person(
            login_id=login_id_of(metadata["issuer"], claims["sub"]),
            username=username_of(profile.get("name") or profile.get("preferred_username")),
            avatar=avatar_of(profile.get("picture"), secure=self._redirect_uri.startswith("https:")),
        )

    def _session(self, metadata: Metadata) -> OAuth2Session:
        supported = metadata.get("token_endpoint_auth_methods_supported")
        use_post = isinstance(supported, list) and "client_secret_basic" not in supported
        return OAuth2Session(
            client_id=self._client_id,
            client_secret=self._client_secret,
            token_endpoint_auth_method="client_secret_post" if use_post else "client_secret_basic",
            scope=SCOPE,
            redirect_uri=self._redirect_uri,
            code_challenge_method="S256",
        )

    def _redeem(self, code: str, attempt: Attempt, metadata: Metadata) -> Mapping[str, Any]:
        try:
            with bounded_call(self._session(metadata)) as session:
                tokens: Mapping[str, Any] = session.fetch_token(
                    metadata["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=attempt.code_verifier,
                )
        except OAuthError as error:
            # The log distinguishes a wrong client, because the operator has to correct it.
            refused = "our client" if error.error == "invalid_client" else "the code"
            raise LoginFailed(f"the provider refused {refused}") from error
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise ProviderUnavailable("the provider's answer is malformed") from error
        return tokens

    def _claims(
        self, id_token: object, check: Mapping[str, str | None], *, issuer: str, now: Millis
    ) -> Mapping[str, Any]:
        """The claims of a valid id token. Raises LoginFailed, ProviderUnavailable."""
        if not isinstance(id_token, str):
            raise LoginFailed("no id token")
        # Google omits the scheme in some tokens. Source: its OpenID Connect documentation.
        issuers = [issuer, "accounts.google.com"] if issuer == GOOGLE else [issuer]
        options = {"iss": {"values": issuers}, "aud": {"value": self._client_id}}
        try:
            decoded = self._decode(id_token, now)
            claims = CodeIDToken(decoded.claims, decoded.header, options=options, params=check)
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

    def _decode(self, id_token: str, now: Millis) -> jwt.Token:
        try:
            return jwt.decode(id_token, self._discovery.keys(now=now), algorithms=ALGORITHMS)
        # The provider may have replaced its keys, perhaps under the same id.
        except (InvalidKeyIdError, BadSignatureError):
            keys = self._discovery.keys(now=now, max_age_ms=REFETCH_MS)
            return jwt.decode(id_token, keys, algorithms=ALGORITHMS)


def login_id_of(issuer: str, subject: str) -> str:
    """The id of the login of this subject. Two issuers can use the same subject for different people.

    Source: OpenID Connect Core 1.0, section 5.7.
    """
    account = f"{issuer}\n{subject}"
    return f"id-{hashlib.sha256(account.encode()).hexdigest()[:32]}"


def _check_issuer(parameters: Mapping[str, str], metadata: Metadata) -> None:
    issuer = parameters.get("iss")
    if issuer is None and metadata.get("authorization_response_iss_parameter_supported") is not True:
        return
    if issuer != metadata["issuer"]:
        raise LoginFailed("another provider's answer")


def _profile(claims: Mapping[str, Any], access_token: str | None, metadata: Metadata) -> Mapping[str, Any]:
    """The claims, or the userinfo when they have no name. A login works without userinfo."""
    endpoint = metadata.get("userinfo_endpoint")
    if claims.get("name") or claims.get("preferred_username") or not access_token or not endpoint:
        return claims
    try:
        userinfo = get_document(endpoint, bearer=access_token)
    except ProviderUnavailable:
        return claims
    return userinfo if userinfo.get("sub") == claims["sub"] else claims
