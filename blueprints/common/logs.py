"""Structured logs: one JSON object a line on standard error, one line a request.

A line never holds a query string, a body, a header or a path parameter, so tokens, seeds and amounts
have no way into it.
"""

import json
import logging
import sys
import time
import uuid
from typing import Any

from flask import Flask, Response, g, got_request_exception, request

from blueprints.common.failures import describe

request_log = logging.getLogger("platform.request")
error_log = logging.getLogger("platform.errors")

EXTRA_FIELDS = (
    *("request_id", "method", "route", "status", "ms", "event", "outcome", "failure"),
    "provider",
    *("updated", "held_back", "item"),
)


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; the time is Unix time in milliseconds."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": int(record.created * 1000),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in EXTRA_FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1]:
            line["failure"] = describe(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def configure_logging() -> None:
    """Send everything of this process through one handler. Safe to call again."""
    root = logging.getLogger()
    if any(isinstance(handler.formatter, JsonLines) for handler in root.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root.addHandler(handler)
    logging.captureWarnings(True)  # the library's signature
    logging.getLogger("platform").setLevel(logging.INFO)
    # Werkzeug's own request line has the whole address in it, tokens included.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    # Addresses that are called hold keys, and urllib3 puts whole ones into its warnings.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)


def log_requests(app: Flask) -> None:
    """Give every request an id and every answer a line."""

    @app.before_request
    def begin() -> None:
        g.request_id = uuid.uuid4().hex
        g.began = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        response.headers["X-Request-Id"] = g.request_id
        request_log.info(
            "request",
            extra={
                "request_id": g.request_id,
                "method": request.method,
                "route": request.url_rule.rule if request.url_rule else "unknown",
                "status": response.status_code,
                "ms": round((time.perf_counter() - g.began) * 1000, 1),
            },
        )
        return response

    # Flask would log the traceback with the message in it.
    app.log_exception = lambda _exc_info: None  # type: ignore[method-assign]

    @got_request_exception.connect_via(app)
    def failed(_app: Flask, exception: BaseException, **_: Any) -> None:
        error_log.error(
            "request failed", extra={"request_id": g.get("request_id"), "failure": describe(exception)}
        )
