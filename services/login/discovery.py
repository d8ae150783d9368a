"""What an OpenID Connect provider publishes of itself: its addresses and its keys, kept for an hour.

Source: OpenID Connect Discovery 1.0.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, KeySet

from services.clock import Millis
from services.login.calls import get_document
from services.login.errors import ProviderUnavailable

KEPT_MS = 3_600_000
REFETCH_MS = 60_000
PLAIN = re.compile(r"[\x21-\x7e]+")
"""What addresses are written in: without blanks, line breaks and letters of other scripts."""


@dataclass(frozen=True)
class ProviderDocument:
    """The part of the provider's document that a login needs. ``userinfo_endpoint`` may be empty."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    secret_method: str
    names_itself: bool


class Discovery:
    """The documents of the provider at one discovery address.

    No lock: many who ask at the moment they run out each fetch them, rather than wait for one another
    while the provider is down.
    """

    def __init__(self, *, url: str) -> None:
        self._url = url
        self._document: tuple[Millis, ProviderDocument] | None = None
        self._keys: tuple[Millis, KeySet] | None = None
        self._refetched_at = Millis(-REFETCH_MS)

    def document(self, *, now: Millis) -> ProviderDocument:
        """Raises ProviderUnavailable."""
        kept = self._document
        if kept is None or now - kept[0] >= KEPT_MS:
            kept = (now, _read_document(get_document(self._url), url=self._url))
            self._document = kept
        return kept[1]

    def keys(self, *, now: Millis) -> KeySet:
        """The provider's public keys. Raises ProviderUnavailable."""
        kept = self._keys
        if kept is None or now - kept[0] >= KEPT_MS:
            kept = (now, _read_keys(get_document(self.document(now=now).jwks_uri)))
            self._keys = kept
        return kept[1]

    def newer_keys(self, *, now: Millis) -> KeySet:
        """The keys, asked for again because one was missing or did not fit; once a minute at most."""
        if now - self._refetched_at >= REFETCH_MS:
            self._refetched_at = now
            self._keys = None
        return self.keys(now=now)


def _read_document(document: Mapping[str, Any], *, url: str) -> ProviderDocument:
    issuer = document.get("issuer")
    # The operator has chosen this document, wherever it lies; its issuer is what every id token must name.
    if not isinstance(issuer, str) or not PLAIN.fullmatch(issuer):
        raise ProviderUnavailable("the discovery document names no issuer")
    scheme = url.partition(":")[0]

    def address(name: str) -> str:
        value = document.get(name)
        # A provider that is spoken to over https sends nobody over less.
        if not isinstance(value, str) or not value.startswith((f"{scheme}://", "https://")):
            raise ProviderUnavailable("the discovery document lacks an address")
        if not _is_address(value):
            raise ProviderUnavailable("the discovery document has an address that is none")
        return value

    return ProviderDocument(
        issuer=issuer,
        authorization_endpoint=address("authorization_endpoint"),
        token_endpoint=address("token_endpoint"),
        jwks_uri=address("jwks_uri"),
        userinfo_endpoint=address("userinfo_endpoint") if "userinfo_endpoint" in document else "",
        secret_method=_secret_method(document.get("token_endpoint_auth_methods_supported")),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
    )


def _is_address(text: str) -> bool:
    """Whether the libraries can call it, or send a browser there."""
    try:
        parts = urlsplit(text)
        return bool(PLAIN.fullmatch(text) and parts.hostname and parts.port != 0)
    except ValueError:
        return False


def _secret_method(supported: object) -> str:
    """How the token endpoint wants to be told our secret; in a header unless it says otherwise."""
    if isinstance(supported, list) and "client_secret_basic" not in supported:
        return "client_secret_post"
    return "client_secret_basic"


def _read_keys(document: Mapping[str, Any]) -> KeySet:
    """The keys that can verify a signature; those of other kinds, or damaged, are passed over."""
    listed = document.get("keys")
    usable = []
    for data in listed if isinstance(listed, list) else []:
        # A symmetric key in public is nobody's secret.
        if not isinstance(data, dict) or data.get("kty") == "oct" or data.get("use", "sig") != "sig":
            continue
        try:
            usable.append(JWKRegistry.import_key(data))
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    if not usable:
        raise ProviderUnavailable("the provider shows no usable keys")
    return KeySet(usable)
