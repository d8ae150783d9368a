"""The client's address of a request, directly or as proxies in front have forwarded it."""

from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask

from server.addresses import normal_form
from server.http.strict_requests import current_request


def read_client_addresses(app: Flask, *, proxies: int, on_untrusted: Callable[[], None]) -> None:
    """Put the client's address into ``REMOTE_ADDR``, in its normal form.

    It is the one that this many proxies in front have written into X-Forwarded-For. When they wrote no
    address there, it is that of the connection. ``on_untrusted`` is called when a forwarding header arrives
    although there are none.
    """
    serve = app.wsgi_app

    def with_address(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        own = environ.get("REMOTE_ADDR", "")
        environ["REMOTE_ADDR"] = _forwarded_address(environ, proxies) or normal_form(own) or own
        return serve(environ, start_response)

    app.wsgi_app = with_address  # type: ignore[method-assign]
    if not proxies:
        _notice_forwarding_headers(app, on_untrusted)


def _forwarded_address(environ: dict[str, Any], proxies: int) -> str | None:
    # Without the quoting of werkzeug's ProxyFix: a client's quotation mark would hide what proxies append.
    texts = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    return normal_form(texts[-proxies]) if 0 < proxies <= len(texts) else None


def _notice_forwarding_headers(app: Flask, on_untrusted: Callable[[], None]) -> None:
    """Call ``on_untrusted`` for each request with a forwarding header.

    All clients behind a proxy that is not trusted share its address and its limits. A client may send the
    header itself, so this is only a hint.
    """

    @app.before_request
    def notice() -> None:
        environ = current_request().environ
        if "HTTP_X_FORWARDED_FOR" in environ or "HTTP_FORWARDED" in environ:
            on_untrusted()
