"""An OpenID Connect provider's metadata and public keys, cached for an hour.

authlib's own client for this is not used: it turns every member of the provider's document into an option of
the HTTP session (``verify`` and ``proxies`` among them), and never reads the document again.

Source: OpenID Connect Discovery 1.0.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from authlib.common.security import is_secure_transport
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, KeySet

from services.accounts.login.calls import get_document
from services.accounts.login.errors import ProviderUnavailable
from services.shared.clock import Millis

CACHE_MS = 3_600_000
REFETCH_MS = 60_000
URLS = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")

Metadata = dict[str, Any]
"""The discovery document of a provider."""


class Discovery:
    """The documents of the provider whose discovery document is at ``url``.

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
