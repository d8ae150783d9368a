"""An OpenID Connect provider to log in with, on authlib's server side: PKCE, RS256, JWKS, discovery."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode, UserInfo
from joserfc import jws, jwt
from joserfc.jwk import KeySet, RSAKey

from tests.harness.servers import serving

CLIENT_ID, CLIENT_SECRET = "client-of-the-tests", "client-secret-of-the-tests"


@cache
def key(name: str) -> RSAKey:
    """A key pair by its id. Cached, because making one is slow."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"}, private=True)


@dataclass
class Client:
    """The one client that the provider knows."""

    redirect_uri: str

    def get_client_id(self) -> str:
        return CLIENT_ID

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri == self.redirect_uri

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == CLIENT_SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in ("client_secret_basic", "client_secret_post")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class Code:
    """A code with what it was asked for."""

    code: str
    asked: dict[str, str]
    user: dict[str, str]
    auth_time: int = field(default_factory=lambda: int(time.time()))

    def get_redirect_uri(self) -> str:
        return self.asked["redirect_uri"]

    def get_scope(self) -> str:
        return self.asked["scope"]

    def get_nonce(self) -> str | None:
        return self.asked.get("nonce")

    def get_auth_time(self) -> int:
        return self.auth_time

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None

    @property
    def code_challenge(self) -> str:
        return self.asked["code_challenge"]

    @property
    def code_challenge_method(self) -> str:
        return self.asked["code_challenge_method"]


class RequiredChallenge(CodeChallenge):
    """PKCE with S256, and no login without it."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        assert grant.request.payload.data.get("code_challenge_method") == "S256"
        super().validate_code_challenge(grant, redirect_uri)


def unchanged(value: Any) -> Any:
    return value


@dataclass
class IdentityProvider:
    """The provider, who is logged in with it, and the ways in which it can misbehave."""

    url: str = ""
    redirect_uri: str = "http://127.0.0.1:5000/auth/identity/callback"
    user: dict[str, str] | None = field(default_factory=lambda: {"sub": "alice@provider", "name": "Alice"})
    userinfo: dict[str, str] | None = None
    # Functions that change what is sent.
    document: Callable[[dict[str, Any]], Any] = unchanged
    keys: Callable[[dict[str, Any]], Any] = unchanged
    redeemed: Callable[[Any], Any] = unchanged
    claims: Callable[[dict[str, Any]], dict[str, Any]] = unchanged
    id_token: Callable[[str], Any] = unchanged
    answer: Callable[[str], str] = unchanged
    # The token endpoint does not answer until this is set.
    free: threading.Event = field(default_factory=threading.Event)
    codes: dict[str, Code] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    tokens: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.free.set()
        self.app = _application(self)

    @property
    def settings(self) -> dict[str, str]:
        """What an app needs to know to log in with it."""
        return {
            "IDENTITY_DISCOVERY_URL": f"{self.url}/.well-known/openid-configuration",
            "IDENTITY_CLIENT_ID": CLIENT_ID,
            "IDENTITY_CLIENT_SECRET": CLIENT_SECRET,
        }

    def behave(self) -> None:
        """Undo what a test changed in the answers."""
        self.document = self.keys = self.redeemed = unchanged
        self.claims = self.id_token = self.answer = unchanged

    def sign(self, claims: dict[str, Any]) -> str:
        """A signed token of the changed claims, also of those that the library would refuse to sign."""
        content = json.dumps(self.claims(claims)).encode()
        return jws.serialize_compact({"alg": "RS256", "kid": "first"}, content, key("first"), ["RS256"])


def _authorization(provider: IdentityProvider, app: flask.Flask) -> AuthorizationServer:
    """The library's server, with the provider's memory for its store."""

    class Grant(AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]

        def save_authorization_code(self, code: str, request: Any) -> None:
            provider.codes[code] = Code(code, dict(request.payload.data), request.user)

        def query_authorization_code(self, code: str, client: Client) -> Code | None:
            return provider.codes.get(code)

        def delete_authorization_code(self, authorization_code: Code) -> None:
            del provider.codes[authorization_code.code]

        def authenticate_user(self, authorization_code: Code) -> dict[str, str]:
            return authorization_code.user

    class Tokens(OpenIDCode):
        def exists_nonce(self, nonce: str, request: Any) -> bool:
            return any(code.get_nonce() == nonce for code in provider.codes.values())

        def resolve_client_private_key(self, client: Client) -> RSAKey:
            return key("first")

        def get_client_claims(self, client: Client) -> dict[str, Any]:
            return {"iss": provider.url, "aud": [CLIENT_ID]}

        def generate_user_info(self, user: dict[str, str], scope: str) -> UserInfo:
            return UserInfo(user)

        def encode_id_token(self, token: dict[str, Any], request: Any) -> Any:
            """The library's token, with the claims and then the whole token changed by the test."""
            made = jwt.decode(super().encode_id_token(token, request), key("first"), ["RS256"])
            return provider.id_token(provider.sign(made.claims))

    server = AuthorizationServer(
        app,
        query_client=lambda client_id: Client(provider.redirect_uri) if client_id == CLIENT_ID else None,
        save_token=lambda token, request: provider.tokens.append(token),
    )
    server.register_grant(Grant, [Tokens(require_nonce=True), RequiredChallenge(required=True)])
    return server


def _application(provider: IdentityProvider) -> flask.Flask:
    app = flask.Flask(__name__)
    server = _authorization(provider, app)

    @app.before_request
    def note() -> None:
        provider.asked.append(flask.request.path)

    @app.get("/.well-known/openid-configuration")
    def document() -> Any:
        return provider.document(
            {
                "issuer": provider.url,
                "authorization_endpoint": f"{provider.url}/authorize",
                "token_endpoint": f"{provider.url}/token",
                "jwks_uri": f"{provider.url}/keys",
                "userinfo_endpoint": f"{provider.url}/userinfo",
                "authorization_response_iss_parameter_supported": True,
            }
        )

    @app.get("/keys")
    def keys() -> Any:
        return flask.jsonify(provider.keys(KeySet([key("first")]).as_dict(private=False)))

    @app.get("/authorize")
    def authorize() -> Any:
        grant = server.get_consent_grant(end_user=provider.user)
        response = server.create_authorization_response(grant_user=provider.user, grant=grant)
        location = f"{response.headers['Location']}&iss={provider.url}"
        return flask.Response(status=302, headers={"Location": provider.answer(location)})

    @app.post("/token")
    def token() -> Any:
        provider.free.wait()
        return provider.redeemed(server.create_token_response())

    @app.get("/userinfo")
    def userinfo() -> Any:
        known = [f"Bearer {token['access_token']}" for token in provider.tokens]
        if flask.request.headers.get("Authorization") not in known or provider.userinfo is None:
            return {"error": "invalid_token"}, 401
        return provider.userinfo

    return app


@contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    """A running provider."""
    provider = IdentityProvider()
    with serving(provider.app) as provider.url:
        yield provider
        provider.free.set()
