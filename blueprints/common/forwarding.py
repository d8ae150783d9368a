"""Warns when a proxy forwards requests to an app that does not trust any."""

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

log = logging.getLogger("platform.proxies")

WARNING_SECONDS = 60.0
HEADERS = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED")


class WarnOfForwardedRequests:
    """WSGI middleware: logs a line when forwarding headers arrive, at most once a minute.

    Without TRUSTED_PROXIES all clients behind a proxy have its address and share its limits. A client may
    send such a header itself, so this is only a hint. ``marker`` is a file whose time tells ``flask check``.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], *, marker: Path) -> None:
        self._app = app
        self._marker = marker
        self._quiet_until = 0.0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if any(name in environ for name in HEADERS) and time.monotonic() >= self._quiet_until:
            self._quiet_until = time.monotonic() + WARNING_SECONDS
            log.warning("forwarding headers arrive although TRUSTED_PROXIES is 0")
            with suppress(OSError):
                self._marker.touch()
        return self._app(environ, start_response)
