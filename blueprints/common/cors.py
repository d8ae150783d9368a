"""Cross-origin resource sharing: pages of these origins may read responses and send tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

Headers = Sequence[tuple[str, str]]

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
EXPOSED = "ETag, Retry-After, X-Request-Id"
VARY = ("Vary", "Origin")
"""On every response: a cache must not give a page a response that another origin, or none, asked for."""


class Cors:
    """The CORS headers for each allowed origin, compared as a whole. Cookies are never allowed."""

    def __init__(self, origins: Sequence[str]) -> None:
        self._headers: dict[str, Headers] = {
            origin: (
                ("Access-Control-Allow-Origin", origin),
                ("Access-Control-Expose-Headers", EXPOSED),
                VARY,
            )
            for origin in origins
        }

    def origin(self, environ: Mapping[str, Any]) -> str | None:
        """The origin of the page that asks, if it is one of those; None for any other, and for none."""
        origin = environ.get("HTTP_ORIGIN")
        return origin if origin in self._headers else None

    def headers(self, environ: Mapping[str, Any]) -> Headers:
        """The headers for this request. Without an allowed origin only ``Vary``, for caches on the way."""
        headers = self._headers.get(environ.get("HTTP_ORIGIN", ""))
        if headers is None:
            return (VARY,)
        if environ["REQUEST_METHOD"] == "OPTIONS":
            return (*headers, *_preflight(environ))
        return headers


def _preflight(environ: Mapping[str, Any]) -> Headers:
    """The answer to a browser that asks beforehand: any method of ours, with any headers."""
    if environ.get("HTTP_ACCESS_CONTROL_REQUEST_METHOD", "").upper() not in METHODS:
        return ()
    methods = ("Access-Control-Allow-Methods", ", ".join(METHODS))
    asked = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS")
    if not asked:
        return (methods,)
    allowed = ", ".join(sorted(name.strip() for name in asked.split(",")))
    return (("Access-Control-Allow-Headers", allowed), methods)
