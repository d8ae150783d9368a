"""Logging in with the general identity provider: OpenID Connect, code flow with PKCE.

Source: OpenID Connect Core 1.0, RFC 7636, RFC 9207; DECISIONS 2 and 9.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from services.clock import Millis
from services.login.attempts import Attempt
from services.login.calls import get_document, provider_session
from services.login.discovery import Discovery, ProviderDocument
from services.login.errors import LoginFailed, ProviderUnavailable
from services.login.id_tokens import Expected, read_id_token
from services.login.person import Person, avatar_of, username_of

SCOPE = "openid profile"


class IdentityProvider:
    """The provider whose discovery document lies at ``discovery_url``, as the client that it knows us as."""

    def __init__(self, *, discovery_url: str, client_id: str, client_secret: str, base_url: str) -> None:
        self._discovery = Discovery(url=discovery_url)
        self._client_id = client_id
        self._client_secret = client_secret
        self._redirect_uri = f"{base_url}/auth/identity/callback"

    def address(self, attempt: Attempt, *, now: Millis) -> str:
        document = self._discovery.document(now=now)
        with self._session(document) as session:
            address, _ = session.create_authorization_url(
                document.authorization_endpoint,
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
            )
        return str(address)

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:
        """Whom the id token names that the code in these parameters buys."""
        document = self._discovery.document(now=now)
        _check_issuer(parameters, document)
        code = parameters.get("code")
        if "error" in parameters or not code:
            raise LoginFailed("cancelled, or no code")
        tokens = self._redeem(code, attempt, document)
        access_token = tokens.get("access_token")
        expected = Expected(
            issuer=document.issuer,
            client_id=self._client_id,
            nonce=attempt.nonce,
            access_token=access_token if isinstance(access_token, str) else None,
        )
        claims = read_id_token(tokens.get("id_token"), expected, discovery=self._discovery, now=now)
        profile = self._profile(claims, expected.access_token, document)
        return Person(
            platform_id=platform_id_of(document.issuer, claims["sub"]),
            username=username_of(profile.get("name") or profile.get("preferred_username")),
            avatar=avatar_of(profile.get("picture"), secure=self._redirect_uri.startswith("https:")),
        )

    def _session(self, document: ProviderDocument) -> OAuth2Session:
        return OAuth2Session(
            client_id=self._client_id,
            client_secret=self._client_secret,
            token_endpoint_auth_method=document.secret_method,
            scope=SCOPE,
            redirect_uri=self._redirect_uri,
            code_challenge_method="S256",
        )

    def _redeem(self, code: str, attempt: Attempt, document: ProviderDocument) -> Mapping[str, Any]:
        try:
            with provider_session(self._session(document)) as session:
                tokens: Mapping[str, Any] = session.fetch_token(
                    document.token_endpoint,
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=attempt.verifier,
                )
        except OAuthError as error:
            # The operator's to mend, and worth telling apart in the log.
            refused = "our client" if error.error == "invalid_client" else "the code"
            raise LoginFailed(f"the provider refused {refused}") from error
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise ProviderUnavailable("the provider's answer makes no sense") from error
        return tokens

    def _profile(
        self, claims: Mapping[str, Any], access_token: str | None, document: ProviderDocument
    ) -> Mapping[str, Any]:
        """The claims, or what the provider tells of the same subject when its id tokens hold no name.

        A name is worth no login: without an answer the claims are what there is.
        """
        named = claims.get("name") or claims.get("preferred_username")
        if named or not access_token or not document.userinfo_endpoint:
            return claims
        try:
            told = get_document(document.userinfo_endpoint, bearer=access_token)
        except ProviderUnavailable:
            return claims
        return told if told.get("sub") == claims["sub"] else claims


def platform_id_of(issuer: str, subject: str) -> str:
    """The account's id for a subject, who is the issuer's: another issuer's may have the same name.

    Source: DECISIONS 2; OpenID Connect Core 1.0, section 5.7.
    """
    account = f"{issuer}\n{subject}"
    return f"id-{hashlib.sha256(account.encode()).hexdigest()[:32]}"


def _check_issuer(parameters: Mapping[str, str], document: ProviderDocument) -> None:
    issuer = parameters.get("iss")
    if issuer is None and not document.names_itself:
        return
    if issuer != document.issuer:
        raise LoginFailed("another provider's answer")
