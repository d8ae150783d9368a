"""Cross-origin resource sharing: pages of the allowed origins may read responses and send tokens."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from flask import Flask, Response, request

METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
EXPOSED = "ETag, Retry-After, X-Request-Id"
SOCKETS = "/socket.io/"

Headers = Sequence[tuple[str, str]]
WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def share_across_origins(app: Flask, *, origins: Sequence[str]) -> None:
    """Allow these origins, each compared as a whole. Cookies are never allowed.

    ``Vary: Origin`` is on every response: a cache must not give a page a response that another origin, or
    none, asked for.
    """
    allowed = frozenset(origins)

    @app.after_request
    def add_headers(response: Response) -> Response:
        headers, origin = response.headers, request.environ.get("HTTP_ORIGIN")
        vary = headers.get("Vary")
        headers["Vary"] = f"{vary}, Origin" if vary else "Origin"
        if origin in allowed:
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = EXPOSED
            if request.method == "OPTIONS":
                _allow_request(headers)
        return response

    app.wsgi_app = _with_socket_headers(app.wsgi_app)  # type: ignore[method-assign]


def _allow_request(headers: Any) -> None:
    """Answer a preflight: any method of the API, with any headers."""
    if request.headers.get("Access-Control-Request-Method", "").upper() not in METHODS.split(", "):
        return
    headers["Access-Control-Allow-Methods"] = METHODS
    asked = request.headers.get("Access-Control-Request-Headers")
    if asked:
        headers["Access-Control-Allow-Headers"] = ", ".join(sorted(name.strip() for name in asked.split(",")))


def _with_socket_headers(inner: WsgiApp) -> WsgiApp:
    """Socket.IO answers before Flask, with CORS headers but without ``Vary``; a poll is one client's own."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not environ["PATH_INFO"].startswith(SOCKETS):
            return inner(environ, start_response)

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            own = [("Vary", "Origin"), ("Cache-Control", "no-store")]
            return start_response(status, [*headers, *own], *exc_info)

        return inner(environ, start)

    return application
