"""How often one client may call: so many reads, writes and begun logins a minute.

Source: DECISIONS, "HTTP conventions". Spins have a limit of their own (services/upgrader/spin_rate.py), and
so have guesses at 2FA codes, which holds whatever the settings say.
"""

import math
from collections.abc import Callable

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from blueprints.common.auth import caller_claims
from services.errors import PlatformError, Unauthorized
from services.rate import Rate

SECONDS = 60
READS, WRITES, LOGIN_STARTS, LOGIN_RETURNS = 300, 60, 20, 20

READING = ("GET", "HEAD")
LOGIN_STARTING = ("login.begin_platform", "login.begin_identity")
LOGIN_RETURNING = ("login.finish_platform", "login.finish_identity")
"""Counted, because each asks the provider something, and a provider may tire of us."""

FREE_BLUEPRINTS = ("system", "media", "site", "swagger_ui")
"""What watches over the service, and files that a page loads by the dozen."""


class TooManyRequests(PlatformError):
    """The client has no request of this kind left for now."""

    status = 429
    text = "Too many requests"

    def __init__(self, *, retry_after_seconds: int) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds


def limit_requests(app: Flask, *, timer: Callable[[], float]) -> None:
    """Count every request of the API, in seconds of ``timer``, before anything else is done for it."""
    reads = Rate(most=READS, seconds=SECONDS, timer=timer)
    writes = Rate(most=WRITES, seconds=SECONDS, timer=timer)
    login_starts = Rate(most=LOGIN_STARTS, seconds=SECONDS, timer=timer)
    login_returns = Rate(most=LOGIN_RETURNS, seconds=SECONDS, timer=timer)

    @app.before_request
    def spend() -> None:
        if request.blueprint in FREE_BLUEPRINTS or request.method == "OPTIONS":
            return
        if request.endpoint in LOGIN_STARTING:
            rate = login_starts
        elif request.endpoint in LOGIN_RETURNING:
            rate = login_returns
        else:
            rate = reads if request.method in READING else writes
        wait_seconds = rate.spend(_client())
        if wait_seconds:
            raise TooManyRequests(retry_after_seconds=math.ceil(wait_seconds))


def trust_proxies(app: Flask, *, count: int) -> None:
    """Take the client's address from the forwarding header that this many proxies in front have written."""
    if count:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=0)  # type: ignore[method-assign]


def _client() -> str:
    """The token's player, wherever they are; else the address."""
    try:
        return f"player {caller_claims().platform_id}"
    except Unauthorized:
        return f"address {request.remote_addr}"
