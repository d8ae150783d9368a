"""Limits the requests of a client in a minute.

Socket events have a separate limit (server/realtime/packets.py), and so have wrong 2FA codes, whose limit no
setting turns off.
"""

import logging
import math
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from server.http.bearer_token import current_claims
from server.http.strict_requests import ContractRequest, current_request
from services.maintenance.checks import FORWARDED_MARKER
from services.shared.errors import TooManyRequests, Unauthorized
from services.shared.rate_limiter import NewRateLimiter, RateLimiter

log = logging.getLogger("platform.proxies")

SECONDS = 60
REQUESTS_PER_MINUTE = {
    "read": 300,
    "write": 60,
    # Each login sends a request to the provider.
    "login start": 20,
    "login return": 20,
    # Searches in a player's payments and proofs, and far pages; they count as reads, too.
    "costly read": 30,
    # OPTIONS carries no token, and many players may share an address.
    "preflight": 600,
    # /metrics and /readyz: two a second. Monitoring asks less often.
    "probe": 120,
}

FAR_ROWS = 20_000
"""A page beyond these is far: SQLite blocks the process for some milliseconds to skip so many rows."""

DECLARED = "rate_limit"
"""The attribute of a view that ``count_as`` sets."""

LONG_LIST, SEARCHED_LIST = "long list", "searched list"

View = TypeVar("View", bound=Callable[..., Any])

FREE_BLUEPRINTS = ("system", "media", "site", "docs", "swagger_ui")
"""Their requests are not limited: monitoring, and the files of pages."""


def count_as(kind: str) -> Callable[[View], View]:
    """Count requests for a view in this limit, not as reads or writes.

    Requests for a ``LONG_LIST`` are reads, and those for far pages costly reads, too; of a ``SEARCHED_LIST``
    also those with a search.
    """

    def decorator(view: View) -> View:
        setattr(view, DECLARED, kind)
        return view

    return decorator


def limit_requests(app: Flask, new_rate_limiter: NewRateLimiter) -> None:
    """Count requests, before any work is done for them."""
    rates = {
        kind: new_rate_limiter(kind, most=most, seconds=SECONDS) for kind, most in REQUESTS_PER_MINUTE.items()
    }

    @app.before_request
    def check() -> None:
        request = current_request()
        declared = getattr(app.view_functions.get(request.endpoint or ""), DECLARED, None)
        kind = _kind_of(request, declared)
        if kind is None:
            return
        client = _client(request, kind)
        _hit(rates[kind], client)
        if _is_costly(request, declared):
            _hit(rates["costly read"], client)


def _kind_of(request: ContractRequest, declared: str | None) -> str | None:
    """The key of its limit; None when the request is not limited."""
    if request.method == "OPTIONS":
        return "preflight"
    if declared in REQUESTS_PER_MINUTE:
        return declared
    if request.blueprint in FREE_BLUEPRINTS:
        return None
    return "read" if request.method in ("GET", "HEAD") else "write"


def _client(request: ContractRequest, kind: str) -> Hashable:
    """The player whose token came with the request; otherwise, and for some kinds, the address."""
    if kind == "probe":
        return request.endpoint, request.remote_addr
    if kind != "preflight" and "Authorization" in request.headers:
        with suppress(Unauthorized):
            claims = current_claims()
            # By session too: a thief whose session was ended must not use up the player's limits.
            return f"player {claims.platform_id} {claims.session}"
    return f"address {request.remote_addr}"


def _hit(rate: RateLimiter, client: Hashable) -> None:
    wait_seconds = rate.hit(client)
    if wait_seconds:
        raise TooManyRequests(retry_after_seconds=math.ceil(wait_seconds))


def _is_costly(request: ContractRequest, declared: str | None) -> bool:
    if declared not in (LONG_LIST, SEARCHED_LIST):
        return False
    if declared == SEARCHED_LIST and request.args.get("search"):
        return True
    page, limit = (request.args.get(name, default=1, type=int) for name in ("page", "limit"))
    return page * limit > FAR_ROWS


def trust_proxies(app: Flask, *, count: int) -> None:
    """Take the client's address from the forwarding header that this many proxies in front have written.

    With 0, log a line when such a header arrives, at most once a minute: all clients behind a proxy that is
    not trusted share its address and its limits. A client may send the header itself, so this is only a
    hint. ``flask check`` repeats it; it looks at the time of a file.
    """
    if count:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=0)  # type: ignore[method-assign]
        return
    marker = Path(app.instance_path) / FORWARDED_MARKER
    warnings = RateLimiter(most=1, seconds=SECONDS)

    @app.before_request
    def warn() -> None:
        environ = current_request().environ
        is_forwarded = "HTTP_X_FORWARDED_FOR" in environ or "HTTP_FORWARDED" in environ
        if is_forwarded and not warnings.hit("forwarding header"):
            log.warning("forwarding headers arrive although TRUSTED_PROXIES is 0")
            with suppress(OSError):
                marker.touch()
