"""Logs and counts each request, and logs each failure of one."""

import logging
import re
import secrets
import time
from functools import cache
from typing import Any

from flask import Flask, Response

from server.http.response_headers import REQUEST_ID
from server.http.strict_requests import current_request
from server.metrics import Metrics

request_log = logging.getLogger("platform.request")
error_log = logging.getLogger("platform.errors")

REQUEST_ID_OF_PROXY = re.compile("[0-9a-f]{32}", re.ASCII)
UNKNOWN = "unknown"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
"""All methods that clients make up are counted as one."""


def log_requests(app: Flask, metrics: Metrics, *, trust_proxy: bool) -> None:
    """Log and count every request, and draw its id.

    A line never has a query string, a body, a header or a path parameter, so tokens, seeds and amounts can't
    get into the log.

    Install this before the other hooks, so that the time includes them. A route is the rule of a URL, such as
    ``/upgrader/bets/<int:nonce>``. An id has 32 hexadecimal digits. With ``trust_proxy`` it is the one that
    the proxy sent, so that both logs have the same.
    """
    # Looking a metric up by its labels takes as long as counting.
    counter, histogram = cache(metrics.requests.labels), cache(metrics.seconds.labels)

    @app.before_request
    def begin() -> None:
        request = current_request()
        request.began = time.perf_counter()
        sent = request.headers.get(REQUEST_ID, "") if trust_proxy else ""
        request.id = sent if REQUEST_ID_OF_PROXY.fullmatch(sent) else secrets.token_hex(16)

    @app.after_request
    def end(response: Response) -> Response:
        request = current_request()
        took, status = time.perf_counter() - request.began, response.status_code
        method, rule = request.method, request.url_rule
        route = rule.rule if rule else UNKNOWN
        counter(method if method in METHODS else OTHER_METHOD, route, status).inc()
        histogram(route).observe(took)
        fields = {"request_id": request.id, "method": method, "route": route, "status": status}
        request_log.info("request", extra=fields | {"ms": round(took * 1000, 1)})
        return response


def log_failures(app: Flask) -> None:
    """Log each unexpected exception in one line. Flask's traceback would contain its message."""

    def log_exception(exc_info: Any) -> None:
        error_log.error("request failed", extra={"request_id": current_request().id}, exc_info=exc_info)

    app.log_exception = log_exception  # type: ignore[method-assign]
