"""Headers of every response: security headers, caching, and cross-origin resource sharing (CORS)."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from flask import Flask, Response

from server.http.strict_requests import current_request

POLICY = "Content-Security-Policy"
NOTHING_LOADS = "default-src 'none'; frame-ancestors 'none'"
YEAR_SECONDS = 31_536_000

ALLOWED_METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
EXPOSED_HEADERS = "ETag, Retry-After, X-Request-Id"
FOR_ALL_ORIGINS = re.compile(
    "/log(?:-[0-9a-f]+)?/.*|/bets/[0-9]+(?:/tlog-proof)?|/snapshots/.*|/upgrader/rules|/irl|/stats/live-bets"
    "|/api/cases/(?!create$|pagination$)[^/]+|/battles/[^/]+"
)
"""The paths that pages of any origin may read: the public log, and what verifies bets."""
NO_STORE = "no-store"
SOCKETS = "/socket.io/"
# No cache may store a poll.
SOCKET_HEADERS = [("Vary", "Origin"), ("Cache-Control", NO_STORE)]

TAKES_COOKIES = "takes_cookies"
"""The attribute of a view that ``allow_cookies`` sets."""

Headers = Sequence[tuple[str, str]]
WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
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
    """Add the security headers and allow pages of these origins to read responses and to send tokens.

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

    @app.after_request
    def allow_origin(response: Response) -> Response:
        headers, environ = response.headers, current_request().environ
        if response.status_code == HTTPStatus.NOT_FOUND:
            headers["Cache-Control"] = NO_STORE
        else:
            headers.setdefault("Cache-Control", NO_STORE)
        origin = environ.get("HTTP_ORIGIN")
        is_for_all = FOR_ALL_ORIGINS.fullmatch(environ["PATH_INFO"])
        if is_for_all or origin in allowed_origins:
            headers["Access-Control-Allow-Origin"] = "*" if is_for_all else origin
            headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
            if hasattr(app.view_functions.get(current_request().endpoint or ""), TAKES_COOKIES):
                headers["Access-Control-Allow-Credentials"] = "true"
            if environ["REQUEST_METHOD"] == "OPTIONS":
                headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
                requested = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS")
                if requested:
                    headers["Access-Control-Allow-Headers"] = requested
        return response

    app.wsgi_app = _with_headers(app.wsgi_app, common_headers)  # type: ignore[assignment,method-assign]


def _with_headers(inner: WsgiApp, common_headers: Headers) -> WsgiApp:
    """Add the constant headers. Answers of Socket.IO have other ones, and do not pass Flask's hooks."""
    api_headers = [(POLICY, NOTHING_LOADS), *common_headers]

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        is_socket = environ["PATH_INFO"].startswith(SOCKETS)

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            # The pages for browsers have a policy of their own.
            page_or_api = common_headers if POLICY in dict(headers) else api_headers
            own = SOCKET_HEADERS if is_socket else page_or_api
            return start_response(status, [*headers, *own], *exc_info)

        body = inner(environ, start)
        # The library sends one: the client would read it as the beginning of the next response.
        return [] if is_socket and environ["REQUEST_METHOD"] == "HEAD" else body

    return application
