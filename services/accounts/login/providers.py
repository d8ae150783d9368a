"""What the logins of both providers share: the attempt, the person, the calls, and how a login fails."""

import hmac
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import urlsplit

import peewee
import requests
from cryptography.fernet import InvalidToken

from models.db.connection import writing
from models.logins import LoginNonce
from services.accounts.users import MAX_USERNAME, MIN_USERNAME
from services.shared import decimal_json
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.http_client import bounded

ATTEMPT_MS = 600_000
LINK_MS = 300_000
"""How long a player has to link a login."""

LINK_STATE = "link."
"""How the ``state`` of an attempt to link begins, so that its failure is told from that of a login."""

CALL_SECONDS = 5.0
"""Short, because a player waits for the call."""
MAX_BYTES = 512 * 1024

NOT_IN_USERNAMES = re.compile(r"[^A-Za-z0-9_.-]", re.ASCII)
DEFAULT_NAME = "player"
MAX_AVATAR = 500
AVATAR = re.compile(r"https?://[^\x00-\x20\x7f\"'<>\\\ud800-\udfff]*", re.IGNORECASE)

SessionT = TypeVar("SessionT", bound=requests.Session)


class LoginFailed(Exception):
    """The login was refused or cancelled. ``str()`` is a fixed text for the log."""


class AnotherLogin(LoginFailed):
    """The answer belongs to an older login of this browser. The newest one may still succeed."""


class ProviderUnavailable(Exception):
    """The provider can't be reached, or its answer violates the protocol."""


def _draw() -> str:
    return secrets.token_urlsafe(32)


class LinkingAccount(NamedTuple):
    """The account to which a login is being linked, and the number of the token that asked for it."""

    user_id: int
    platform_id: str
    token_number: int


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A login between its two redirects: a cookie of the browser that began it.

    The server stores nothing, so a restart or a second process loses no login. The identity provider alone
    uses ``id_token_nonce``, which comes back in the id token, and ``code_verifier``, which is that of PKCE.
    With an ``account``, the login is linked to it.
    """

    expires_at: Millis
    state: str = field(default_factory=_draw, repr=False)
    id_token_nonce: str = field(default_factory=_draw, repr=False)
    code_verifier: str = field(default_factory=_draw, repr=False)
    account: LinkingAccount | None = None

    @classmethod
    def to_link(cls, account: LinkingAccount, *, now: Millis) -> "Attempt":
        """A new attempt to link a login to this account."""
        return cls(expires_at=Millis(now + LINK_MS), state=LINK_STATE + _draw(), account=account)

    def to_cookie(self, encrypter: Encrypter) -> str:
        """The value of the cookie."""
        values = [self.expires_at, self.state, self.id_token_nonce, self.code_verifier, *(self.account or ())]
        return encrypter.encrypt(json.dumps(values))

    @classmethod
    def from_cookie(
        cls, cookie: str | None, *, state: str | None, encrypter: Encrypter, now: Millis
    ) -> "Attempt":
        """The attempt in this browser's cookie.

        Raises LoginFailed, and AnotherLogin when the ``state`` that comes back belongs to another attempt.
        """
        if cookie is None:
            raise LoginFailed("not begun in this browser")
        try:
            expires_at, expected, nonce, verifier, *account = json.loads(encrypter.decrypt(cookie))
        except (InvalidToken, UnicodeError):
            raise LoginFailed("the cookie can't be decrypted") from None
        if now >= expires_at:
            raise LoginFailed("took too long")
        if state is None or not hmac.compare_digest(state.encode(), expected.encode()):
            raise AnotherLogin("another login's state")
        return cls(
            expires_at=expires_at,
            state=expected,
            id_token_nonce=nonce,
            code_verifier=verifier,
            account=LinkingAccount(*account) if account else None,
        )


@dataclass(frozen=True, kw_only=True)
class Person:
    """Who a provider says has come back.

    ``login_id`` is 17 digits, or ``id-`` and a hash. ``username`` is valid but may be taken. ``avatar`` is a
    URL, or empty.
    """

    login_id: str
    username: str
    avatar: str


class Provider(Protocol):
    """A service that knows who a player is."""

    def login_url(self, attempt: Attempt, *, now: Millis) -> str:
        """The URL of the provider's login page for this attempt. Raises ProviderUnavailable."""

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:
        """The person who came back with these parameters. Raises LoginFailed, ProviderUnavailable."""


def use_once(secret: str, *, until: Millis, now: Millis) -> None:
    """Mark a nonce or a state as used. Raises LoginFailed when it was used before.

    The primary key refuses the second of two concurrent uses, in any process. ``until`` is a time from which
    it is refused anyway, by the clock of any server.
    """
    try:
        with writing():
            LoginNonce.delete().where(LoginNonce.expires_at_ms < now).execute()
            LoginNonce.insert(nonce=secret, expires_at_ms=until).execute()
    except peewee.IntegrityError:
        raise LoginFailed("used before") from None


def username_of(name: object) -> str:
    """The username nearest to a provider's name: other characters become ``_``."""
    if not isinstance(name, str):
        return DEFAULT_NAME
    username = NOT_IN_USERNAMES.sub("_", name)[:MAX_USERNAME]
    return username if len(username) >= MIN_USERNAME else DEFAULT_NAME


def avatar_of(url: object, *, secure: bool) -> str:
    """The URL of a provider's picture if it is valid, or else an empty text.

    ``secure`` accepts https only, for pages that are loaded over https.
    """
    if not isinstance(url, str) or len(url) > MAX_AVATAR or not AVATAR.fullmatch(url):
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.hostname and (parts.scheme == "https" or not secure) else ""


@contextmanager
def bounded_call(session: SessionT) -> Iterator[SessionT]:
    """A session for one call. Raises ProviderUnavailable, without the URL, which can contain a key."""
    try:
        with bounded(session, seconds=CALL_SECONDS, max_bytes=MAX_BYTES):
            yield session
    except requests.RequestException:
        raise ProviderUnavailable("the provider did not answer") from None


def get_document(
    url: str, *, query: Mapping[str, str] | None = None, bearer: str | None = None
) -> dict[str, Any]:
    """The JSON object at a URL of the provider. Raises ProviderUnavailable."""
    headers = {"Accept": "application/json"}
    if bearer is not None:
        headers["Authorization"] = f"Bearer {bearer}"
    with bounded_call(requests.Session()) as session:
        response = session.get(url, params=query, headers=headers)
    if response.status_code != HTTPStatus.OK:
        raise ProviderUnavailable("the provider answered with an error")
    try:
        document = decimal_json.loads(response.content)
    except ValueError:
        raise ProviderUnavailable("the provider's answer is not JSON") from None
    if not isinstance(document, dict):
        raise ProviderUnavailable("the provider's answer is not an object")
    return document
