"""The access log and its metrics: one line and one count for each request and each event of a socket.

A line never holds a query string, a body, a header or a path parameter, so tokens, seeds and amounts
can't get into it.
"""

import logging
import time
from typing import Protocol

from flask import Flask, Response, g, request

from blueprints.common import repeated_lines
from blueprints.common.request_id import request_id

requests_log = logging.getLogger("platform.request")
events_log = logging.getLogger("platform.events")

UNKNOWN = "unknown"

PLAYED = ("won", "lost")
"""Outcomes with a line for each event. Clients can cause refusals at will, so those are counted in a line."""


class CountRequest(Protocol):
    """Counts a request. ``route`` is the rule of its URL, such as ``/upgrader/bets/<int:nonce>``."""

    def __call__(self, *, method: str, route: str, status: int, seconds: float) -> None: ...


def log_requests(app: Flask, *, count: CountRequest) -> None:
    """Log and count every request. To be installed first, so that its time includes the other hooks."""

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        seconds = time.perf_counter() - g.began
        method, status = request.method, response.status_code
        route = request.url_rule.rule if request.url_rule else UNKNOWN
        count(method=method, route=route, status=status, seconds=seconds)
        requests_log.info(
            "request",
            extra={
                "request_id": request_id(),
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 1),
            },
        )
        return response


def log_event(name: str, *, outcome: str, seconds: float) -> None:
    """Log an event of a socket and how it ended: ``won``, ``lost``, or the text of a refusal."""
    extra = {"event": name, "outcome": outcome}
    if outcome in PLAYED:
        events_log.info("event", extra=extra | {"ms": round(seconds * 1000, 1)})
    else:
        repeated_lines.log.info("event", extra=extra)
