"""Structured logs: one JSON object a line on standard error, for each request, event and failure."""

import logging
import re
import secrets
import sys
import time
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response

from server import repeated_lines
from server.http.strict_requests import current_request
from server.metrics import Metrics
from server.redaction import safe_exception_summary
from services.shared import decimal_json

request_log = logging.getLogger("platform.request")
error_log = logging.getLogger("platform.errors")

REQUEST_ID = "X-Request-Id"
REQUEST_ID_OF_PROXY = re.compile("[0-9a-f]{32}", re.ASCII)
UNKNOWN = "unknown"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
"""All methods that clients make up are counted as one."""

EXTRA_FIELDS = (
    *("request_id", "method", "route", "status", "ms", "event", "outcome"),
    *("provider", "updated", "held_back", "item", "repeated"),
    *("deposit", "withdrawal", "payout", "delivery"),
)


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON.

    ``time`` is Unix time in milliseconds, ``timestamp`` the same in ISO 8601.
    """

    def format(self, record: logging.LogRecord) -> str:
        time_ms = int(record.created * 1000)
        line: dict[str, Any] = {
            "time": time_ms,
            "timestamp": datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        values = vars(record)
        line |= {name: values[name] for name in EXTRA_FIELDS if name in values}
        if record.exc_info and record.exc_info[1]:
            line["failure"] = safe_exception_summary(record.exc_info[1])
        return decimal_json.dumps(line)


def configure_logging(level: str) -> None:
    """Send all log records of this process through one handler. Safe to call again.

    ``level`` is the least one of the platform's own lines.
    """
    logging.getLogger("platform").setLevel(level.upper())
    root = logging.getLogger()
    if any(isinstance(handler.formatter, JsonLines) for handler in root.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root.addHandler(handler)
    # No format has threads, processes and callers. Not looking them up saves 8 us of a cached response's 130.
    logging.logThreads = logging.logMultiprocessing = logging.logProcesses = False
    logging._srcfile = None  # noqa: SLF001  # as the logging manual recommends
    repeated_lines.drop_repeated_lines()
    logging.captureWarnings(True)
    # Werkzeug logs whole URLs, with the tokens in them.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    # urllib3 puts URLs of price sources, which can contain keys, into its warnings.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)


def log_requests(app: Flask, metrics: Metrics, *, trust_proxy: bool) -> None:
    """Log and count every request, and send its id in ``X-Request-Id``.

    A line never has a query string, a body, a header or a path parameter, so tokens, seeds and amounts can't
    get into the log.

    Install this before the other hooks, so that the time includes them. A route is the rule of a URL, such as
    ``/upgrader/bets/<int:nonce>``. An id has 32 hexadecimal digits. With ``trust_proxy`` it is the one that
    the proxy sent, so that both logs have the same.
    """

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
        metrics.requests.labels(method if method in METHODS else OTHER_METHOD, route, status).inc()
        metrics.seconds.labels(route).observe(took)
        fields = {"request_id": request.id, "method": method, "route": route, "status": status}
        request_log.info("request", extra=fields | {"ms": round(took * 1000, 1)})
        response.headers.add(REQUEST_ID, request.id)
        return response


def log_failures(app: Flask) -> None:
    """Log each unexpected exception in one line. Flask's traceback would contain its message."""

    def log_exception(exc_info: Any) -> None:
        error_log.error("request failed", extra={"request_id": current_request().id}, exc_info=exc_info)

    app.log_exception = log_exception  # type: ignore[method-assign]
