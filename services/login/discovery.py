"""What an OpenID Connect provider publishes: its metadata and its public keys, cached for an hour.

authlib's own client for this is not used: it turns every member of the provider's document into an option of
the HTTP session (``verify`` and ``proxies`` among them), and never reads the document again.

Source: OpenID Connect Discovery 1.0.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, KeySet

from services.clock import Millis
from services.login.calls import get_document
from services.login.errors import ProviderUnavailable

CACHE_MS = 3_600_000
REFETCH_MS = 60_000
VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")


class Discovery:
    """The metadata and keys of the provider whose discovery document is at ``url``.

    Without a lock: requests that find the cache expired each fetch the document, instead of waiting for one
    another while the provider is down.
    """

    def __init__(self, *, url: str) -> None:
        self._url = url
        self._metadata: tuple[Millis, OpenIDProviderMetadata] | None = None
        self._keys: tuple[Millis, KeySet] | None = None
        self._refetched_at = Millis(-REFETCH_MS)

    def metadata(self, *, now: Millis) -> OpenIDProviderMetadata:
        """Checked: the issuer and the endpoints of a login are there. Raises ProviderUnavailable."""
        cached = self._metadata
        if cached is None or now - cached[0] >= CACHE_MS:
            cached = (now, _checked(get_document(self._url), secure=self._url.startswith("https:")))
            self._metadata = cached
        return cached[1]

    def keys(self, *, now: Millis) -> KeySet:
        """The provider's public keys. Raises ProviderUnavailable."""
        cached = self._keys
        if cached is None or now - cached[0] >= CACHE_MS:
            cached = (now, _usable_keys(get_document(self.metadata(now=now)["jwks_uri"])))
            self._keys = cached
        return cached[1]

    def newer_keys(self, *, now: Millis) -> KeySet:
        """The keys, fetched again unless that was done within the last minute. Raises ProviderUnavailable."""
        if now - self._refetched_at >= REFETCH_MS:
            self._refetched_at = now
            self._keys = None
        return self.keys(now=now)


def _checked(document: dict[str, Any], *, secure: bool) -> OpenIDProviderMetadata:
    issuer = document.get("issuer")
    # Not compared with the discovery URL: the operator chose the document, wherever it is.
    if not isinstance(issuer, str) or not VISIBLE_ASCII.fullmatch(issuer):
        raise ProviderUnavailable("the discovery document has no issuer")
    endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri"]
    if "userinfo_endpoint" in document:
        endpoints.append("userinfo_endpoint")
    if not all(_is_endpoint(document.get(name), secure=secure) for name in endpoints):
        raise ProviderUnavailable("the discovery document lacks an endpoint, or one is no URL")
    return OpenIDProviderMetadata(document)


def _is_endpoint(url: object, *, secure: bool) -> bool:
    """Whether a login can use this URL. A provider that is read over https has no endpoints over http."""
    if not isinstance(url, str) or not VISIBLE_ASCII.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
        is_complete = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_complete and (parts.scheme == "https" or (parts.scheme == "http" and not secure))


def _usable_keys(document: dict[str, Any]) -> KeySet:
    """The keys that can verify a signature. Those of other kinds and damaged ones are skipped."""
    listed = document.get("keys")
    usable = []
    for data in listed if isinstance(listed, list) else []:
        # A symmetric key that is published could sign for anybody.
        if not isinstance(data, dict) or data.get("kty") == "oct" or data.get("use", "sig") != "sig":
            continue
        try:
            usable.append(JWKRegistry.import_key(data))
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    if not usable:
        raise ProviderUnavailable("the provider publishes no usable keys")
    return KeySet(usable)
