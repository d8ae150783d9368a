"""How often one client may call: so many reads, writes and begun logins a minute.

Source: DECISIONS, "HTTP conventions". Spins have a limit of their own (services/upgrader/spin_rate.py), and
so have guesses at 2FA codes, which holds whatever the settings say.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from blueprints.common.auth import claims_of
from services.errors import PlatformError, Unauthorized
from services.platform import Platform
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


class Limits:
    """What each client has spent, in seconds of ``timer``."""

    def __init__(self, platform: Platform, *, timer: Callable[[], float]) -> None:
        self._platform = platform
        self._reads = Rate(most=READS, seconds=SECONDS, timer=timer)
        self._writes = Rate(most=WRITES, seconds=SECONDS, timer=timer)
        self._login_starts = Rate(most=LOGIN_STARTS, seconds=SECONDS, timer=timer)
        self._login_returns = Rate(most=LOGIN_RETURNS, seconds=SECONDS, timer=timer)

    def spend(self, environ: Mapping[str, Any], *, endpoint: str | None) -> None:
        """Count a request. Raises TooManyRequests, and has counted nothing then."""
        if endpoint in LOGIN_STARTING:
            self._spend(self._login_starts, environ)
        elif endpoint in LOGIN_RETURNING:
            self._spend(self._login_returns, environ)
        elif environ["REQUEST_METHOD"] in READING:
            self.spend_read(environ)
        else:
            self._spend(self._writes, environ)

    def spend_read(self, environ: Mapping[str, Any]) -> None:
        """Count a read. Raises TooManyRequests."""
        self._spend(self._reads, environ)

    def _spend(self, rate: Rate, environ: Mapping[str, Any]) -> None:
        wait_seconds = rate.spend(self._client(environ))
        if wait_seconds:
            raise TooManyRequests(retry_after_seconds=math.ceil(wait_seconds))

    def _client(self, environ: Mapping[str, Any]) -> str:
        """The token's player, wherever they are; else the address."""
        try:
            return f"player {claims_of(environ, self._platform).platform_id}"
        except Unauthorized:
            return f"address {environ.get('REMOTE_ADDR')}"


def limit_requests(app: Flask, limits: Limits) -> None:
    """Count every request of the API before anything else is done for it."""

    @app.before_request
    def spend() -> None:
        if request.blueprint not in FREE_BLUEPRINTS and request.method != "OPTIONS":
            limits.spend(request.environ, endpoint=request.endpoint)


def trust_proxies(app: Flask, *, count: int) -> None:
    """Take the client's address from the forwarding header that this many proxies in front have written."""
    if count:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=0)  # type: ignore[method-assign]
