"""Limits the requests of a client in a minute; those that bet as events that bet are limited.

Socket events have a separate limit (server/realtime/packets.py), and so have wrong 2FA codes, whose limit no
setting turns off.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from flask import Flask, current_app

from server.addresses import Keys, networks
from server.current_services import current_claims
from server.http.strict_requests import ContractRequest, current_request
from server.rate_limiter import EVENT_SECONDS, EVENTS, ClientRateLimiter, NewRateLimiter
from services.shared.errors import TooManyRequests, Unauthorized

SECONDS = 60
REQUESTS_PER_MINUTE = {
    "read": 300,
    "write": 60,
    # Each login sends a request to the provider.
    "login start": 20,
    "login return": 20,
    # Sign-ins and enrolments of the back office, which cost the processor much.
    "staff sign-in": 20,
    # Searches in a player's payments and proofs, and far pages; they count as reads, too.
    "costly read": 30,
    # OPTIONS carries no token, and many players may share an address.
    "preflight": 600,
    # Webhooks that their provider has not sent. Others are not limited.
    "bad signature": 60,
    # /metrics and /readyz: two a second. Monitoring asks less often.
    "probe": 120,
}

FAR_ROWS = 20_000
"""A page beyond these is far: SQLite blocks the process for some milliseconds to skip so many rows."""

DECLARED = "rate_limit"
"""The attribute of a view that ``count_as`` sets."""

BET = "bet"
"""Requests that take or give back a seat of a battle."""
LONG_LIST, SEARCHED_LIST = "long list", "searched list"
NOT_LIMITED = "not limited"
RATES = "request_rates"
"""The extension of an app that limits requests."""

View = TypeVar("View", bound=Callable[..., Any])

FREE_BLUEPRINTS = ("system", "media", "site", "docs", "swagger_ui", "log", "log_successors", "office")
"""Their requests are not limited: monitoring, the files of pages, the public log, and the work of staff."""


def count_as(kind: str) -> Callable[[View], View]:
    """Count requests for a view in this limit, not as reads or writes.

    Requests for a ``LONG_LIST`` are reads, and those for far pages costly reads, too; of a ``SEARCHED_LIST``
    also those with a search. Those for a ``NOT_LIMITED`` view are not counted.
    """

    def decorator(view: View) -> View:
        setattr(view, DECLARED, kind)
        return view

    return decorator


def limit_requests(app: Flask, new_rate_limiter: NewRateLimiter) -> None:
    """Count requests, before any work is done for them."""
    rates = {
        kind: ClientRateLimiter(new_rate_limiter, kind, most=most, seconds=SECONDS)
        for kind, most in REQUESTS_PER_MINUTE.items()
    }
    rates[BET] = ClientRateLimiter(new_rate_limiter, BET, most=EVENTS, seconds=EVENT_SECONDS)

    app.extensions[RATES] = rates

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


def count_bad_signature() -> None:
    """Count the current request, for its address. Raises TooManyRequests."""
    if rates := current_app.extensions.get(RATES):
        _hit(rates["bad signature"], networks(current_request().remote_addr or ""))


def _kind_of(request: ContractRequest, declared: str | None) -> str | None:
    """The key of its limit; None when the request is not limited."""
    if request.method == "OPTIONS":
        return "preflight"
    if declared == BET or declared in REQUESTS_PER_MINUTE:
        return declared
    if request.blueprint in FREE_BLUEPRINTS or declared == NOT_LIMITED:
        return None
    return "read" if request.method in ("GET", "HEAD") else "write"


def _client(request: ContractRequest, kind: str) -> Keys:
    """The player whose token came with the request; otherwise, and for some kinds, the address."""
    address = request.remote_addr or ""
    if kind == "probe":
        return [((request.endpoint, key), times) for key, times in networks(address)]
    if kind not in ("preflight", "staff sign-in") and "Authorization" in request.headers:
        with suppress(Unauthorized):
            claims = current_claims()
            # By token number too: a thief whose token was revoked must not use up the player's limits.
            return [(f"player {claims.platform_id} {claims.token_number}", 1)]
    return networks(address)


def _hit(rate: ClientRateLimiter, client: Keys) -> None:
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
