"""Headers of every response: security headers, caching, and cross-origin resource sharing (CORS)."""

import base64
import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from flask import Flask

from server.http.strict_requests import ContractRequest, current_request

POLICY = "Content-Security-Policy"
NOTHING_LOADS = "default-src 'none'; frame-ancestors 'none'"
YEAR_SECONDS = 31_536_000

ALLOWED_METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
REQUEST_ID = "X-Request-Id"
EXPOSED_HEADERS = f"ETag, Retry-After, {REQUEST_ID}"
FOR_ALL_ORIGINS = re.compile(
    "/log(?:-[0-9a-f]+)?/.*|/bets/[0-9]+(?:/tlog-proof)?|/snapshots/.*|/upgrader/rules|/irl|/stats/live-bets"
    "|/api/cases/(?!create$|pagination$)[^/]+|/battles/[^/]+"
)
"""The paths that pages of any origin may read: the public log, and what verifies bets."""
CACHE_CONTROL, NO_STORE = "Cache-Control", "no-store"
SOCKETS = "/socket.io/"
# No cache may store a poll.
SOCKET_HEADERS = [("Vary", "Origin"), (CACHE_CONTROL, NO_STORE)]

TAKES_COOKIES = "takes_cookies"
"""The attribute of a view that ``allow_cookies`` sets."""

Headers = Sequence[tuple[str, str]]
View = TypeVar("View", bound=Callable[..., Any])


def hash_sources(element: str, page: str) -> str:
    """Source expressions that allow the page's own inline elements of this name, and no other content."""
    contents = re.findall(f"<{element}(?: [^>]*)?>(.*?)</{element}>", page, re.DOTALL)
    digests = (hashlib.sha256(content.encode()).digest() for content in contents)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def allow_cookies(view: View) -> View:
    """Let pages of the allowed origins send this service's cookies to this view."""
    setattr(view, TAKES_COOKIES, True)
    return view


def set_response_headers(app: Flask, *, https: bool, origins: Iterable[str]) -> None:
    """Add security headers and the request's id; let pages of these origins read responses and send tokens.

    Any page may read the public log and what verifies bets. What is only for a player there needs the
    player's token.

    ``https`` says whether clients reach this service by it. Each origin is compared as a whole. Cookies are
    allowed for the views with ``allow_cookies`` only. ``Vary: Origin`` is on every response: a cache must
    not answer a page with what another origin got.

    Responses without a ``Cache-Control`` of their own, and all with status 404, may not be stored. Caches may
    keep those without the header: a bet's page would stay away after its proof is out.
    """
    common_headers = [
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Vary", "Origin"),
    ]
    if https:
        common_headers.append(("Strict-Transport-Security", f"max-age={YEAR_SECONDS}"))
    allowed_origins = frozenset(origins)
    inner = app.wsgi_app

    # Around Flask, not as a hook of it, because its Response copies and checks each header twice.
    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        is_socket = environ["PATH_INFO"].startswith(SOCKETS)

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            if is_socket:
                return start_response(status, [*headers, *SOCKET_HEADERS], *exc_info)
            # Flask calls this within the context of the request.
            request = current_request()
            own = [
                *_with_defaults(headers, is_found=not status.startswith("404")),
                *common_headers,
                (REQUEST_ID, request.id),
                *_cross_origin_headers(app, request, allowed_origins),
            ]
            return start_response(status, own, *exc_info)

        body = inner(environ, start)
        # The library sends one: the client would read it as the beginning of the next response.
        return [] if is_socket and environ["REQUEST_METHOD"] == "HEAD" else body

    app.wsgi_app = application  # type: ignore[method-assign]


def _with_defaults(headers: Headers, *, is_found: bool) -> Headers:
    """The headers, with the policies of responses that have none of their own."""
    names = dict(headers)
    own = list(headers)
    # The pages for browsers have a policy of their own.
    if POLICY not in names:
        own.append((POLICY, NOTHING_LOADS))
    if not is_found:
        own = [header for header in own if header[0] != CACHE_CONTROL]
    if not is_found or CACHE_CONTROL not in names:
        own.append((CACHE_CONTROL, NO_STORE))
    return own


def _cross_origin_headers(app: Flask, request: ContractRequest, allowed_origins: Collection[str]) -> Headers:
    """What tells a browser which pages may read the response."""
    environ = request.environ
    origin = environ.get("HTTP_ORIGIN", "")
    is_for_all = FOR_ALL_ORIGINS.fullmatch(environ["PATH_INFO"])
    if not is_for_all and origin not in allowed_origins:
        return []
    headers = [
        ("Access-Control-Allow-Origin", "*" if is_for_all else origin),
        ("Access-Control-Expose-Headers", EXPOSED_HEADERS),
    ]
    if hasattr(app.view_functions.get(request.endpoint or ""), TAKES_COOKIES):
        headers.append(("Access-Control-Allow-Credentials", "true"))
    if environ["REQUEST_METHOD"] == "OPTIONS":
        headers.append(("Access-Control-Allow-Methods", ALLOWED_METHODS))
        requested = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS")
        # The framework, which refuses line ends in a header, does not see these.
        if requested and requested.isprintable():
            headers.append(("Access-Control-Allow-Headers", requested))
    return headers
