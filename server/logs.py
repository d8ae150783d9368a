"""Structured logs: one JSON object a line on standard error."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

import orjson
from flask import Flask, g, got_request_exception, has_app_context

from server import repeated_lines
from server.redaction import safe_exception_summary

events_log = logging.getLogger("platform.events")
error_log = logging.getLogger("platform.errors")

PLAYED = ("won", "lost")
"""Outcomes with a line for each event. Clients can cause refusals at will, so those are aggregated."""

EXTRA_FIELDS = (
    *("request_id", "method", "route", "status", "ms", "event", "outcome", "failure"),
    *("provider", "updated", "held_back", "item", "repeated"),
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
        try:
            return orjson.dumps(line).decode()
        except orjson.JSONEncodeError:
            # Such as a lone surrogate.
            return json.dumps(line)


def configure_logging() -> None:
    """Send all log records of this process through one handler. Safe to call again."""
    root = logging.getLogger()
    if any(isinstance(handler.formatter, JsonLines) for handler in root.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root.addHandler(handler)
    # A record does not look up threads and processes, which takes half of its time: no format has them.
    logging.logThreads = logging.logMultiprocessing = False
    repeated_lines.drop_repeated_lines()
    logging.captureWarnings(True)
    logging.getLogger("platform").setLevel(logging.INFO)
    # Werkzeug logs whole URLs, with the tokens in them.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    # urllib3 puts URLs of price sources, which can contain keys, into its warnings.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)


def request_id() -> str | None:
    """The id of the current request; None outside of one, as in the handler of a socket event."""
    current: str | None = g.get("request_id") if has_app_context() else None
    return current


def log_event(name: str, *, outcome: str, seconds: float) -> None:
    """Log a socket event and how it ended: ``won``, ``lost``, or the text of a refusal."""
    extra = {"event": name, "outcome": outcome}
    if outcome in PLAYED:
        events_log.info("event", extra=extra | {"ms": round(seconds * 1000, 1)})
    else:
        repeated_lines.log.info("event", extra=extra)


def log_failures(app: Flask) -> None:
    """Log each unexpected exception in one line. Flask's traceback would contain its message."""
    app.log_exception = lambda _exc_info: None  # type: ignore[assignment,method-assign]

    @got_request_exception.connect_via(app)
    def failed(_app: Flask, exception: BaseException, **_: Any) -> None:
        error_log.error(
            "request failed", extra={"request_id": request_id(), "failure": safe_exception_summary(exception)}
        )
