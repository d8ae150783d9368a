"""How often one client may call: so many reads, writes, searches and begun logins a minute.

Source: DECISIONS, "HTTP conventions". Events of sockets have a limit of their own
(blueprints/realtime/packets.py), and so have guesses at 2FA codes, which holds whatever the settings say.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from blueprints.common.auth import claims_of
from blueprints.common.forwarding import WarnOfForwardedRequests
from services.checks import FORWARDED_MARKER
from services.errors import PlatformError, Unauthorized
from services.platform import Platform
from services.rate import Rate

SECONDS = 60
READS, WRITES, LOGIN_STARTS, LOGIN_RETURNS = 300, 60, 20, 20
COSTLY_READS = 30
"""Searches in a player's whole history and pages far from a list's start, which count as reads, too."""

FAR_ROWS = 20_000
"""A page beyond these is far: SQLite blocks the process for some milliseconds to skip so many rows."""

PREFLIGHTS = 600
"""OPTIONS requests by address: they carry no token, and many players may share an address."""

PROBES = 120
"""Requests to each of /metrics and /readyz by address: two a second. Monitoring asks less often."""

READING = ("GET", "HEAD")
LOGIN_STARTING = ("login.begin_platform", "login.begin_identity")
LOGIN_RETURNING = ("login.finish_platform", "login.finish_identity")
"""Counted, because each asks the provider something, and a provider may tire of us."""

SEARCHES = ("stats.fairness", "stats.payments")
LONG_LISTS = ("stats.fairness", "stats.payments", "stats.games", "stats.live_bets")
PROBED = ("system.metrics", "system.readyz")

FREE_BLUEPRINTS = ("system", "media", "site", "swagger_ui")
"""Monitoring, and files that a page loads by the dozen."""


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
        self._costly_reads = Rate(most=COSTLY_READS, seconds=SECONDS, timer=timer)
        self._preflights = Rate(most=PREFLIGHTS, seconds=SECONDS, timer=timer)
        self._probes = Rate(most=PROBES, seconds=SECONDS, timer=timer)

    def spend(self, environ: Mapping[str, Any], *, endpoint: str | None) -> None:
        """Count a request. Raises TooManyRequests, and has counted nothing then."""
        if environ["REQUEST_METHOD"] == "OPTIONS":
            _check(self._preflights.spend(environ.get("REMOTE_ADDR")))
        elif endpoint in PROBED:
            _check(self._probes.spend((endpoint, environ.get("REMOTE_ADDR"))))
        elif endpoint in LOGIN_STARTING:
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

    def spend_costly_read(self, environ: Mapping[str, Any]) -> None:
        """Count a search or a far page, besides the read that it is. Raises TooManyRequests."""
        self._spend(self._costly_reads, environ)

    def _spend(self, rate: Rate, environ: Mapping[str, Any]) -> None:
        _check(rate.spend(self._client(environ)))

    def _client(self, environ: Mapping[str, Any]) -> str:
        """The token's player, wherever they are; else the address."""
        try:
            return f"player {claims_of(environ, self._platform).platform_id}"
        except Unauthorized:
            return f"address {environ.get('REMOTE_ADDR')}"


def _check(wait_seconds: float) -> None:
    if wait_seconds:
        raise TooManyRequests(retry_after_seconds=math.ceil(wait_seconds))


def limit_requests(app: Flask, limits: Limits) -> None:
    """Count requests before anything else is done for them."""

    @app.before_request
    def spend() -> None:
        is_free = request.blueprint in FREE_BLUEPRINTS and request.endpoint not in PROBED
        if request.method == "OPTIONS" or not is_free:
            limits.spend(request.environ, endpoint=request.endpoint)
        if _is_costly():
            limits.spend_costly_read(request.environ)


def _is_costly() -> bool:
    if request.endpoint in SEARCHES and request.args.get("search"):
        return True
    if request.endpoint not in LONG_LISTS:
        return False
    page, limit = (request.args.get(name, default=1, type=int) for name in ("page", "limit"))
    return page * limit > FAR_ROWS


def trust_proxies(app: Flask, *, count: int) -> None:
    """Take the client's address from the forwarding header that this many proxies in front have written."""
    if count:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=0)  # type: ignore[method-assign]
    else:
        marker = Path(app.instance_path) / FORWARDED_MARKER
        app.wsgi_app = WarnOfForwardedRequests(app.wsgi_app, marker=marker)  # type: ignore[method-assign]
