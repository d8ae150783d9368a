"""Structured logs: one JSON object a line on standard error."""

import json
import logging
import sys
from typing import Any

from flask import Flask, got_request_exception

from blueprints.common.failures import describe
from blueprints.common.repeated_lines import count_repeated_lines
from blueprints.common.request_id import request_id

error_log = logging.getLogger("platform.errors")

EXTRA_FIELDS = (
    *("request_id", "method", "route", "status", "ms", "event", "outcome", "failure"),
    "provider",
    *("updated", "held_back", "item"),
    "repeated",
)


# json.dumps would make an encoder for every line.
_encode = json.JSONEncoder(ensure_ascii=False).encode


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; the time is Unix time in milliseconds."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": int(record.created * 1000),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        values = vars(record)
        line |= {name: values[name] for name in EXTRA_FIELDS if name in values}
        if record.exc_info and record.exc_info[1]:
            line["failure"] = describe(record.exc_info[1])
        return _encode(line)


def configure_logging() -> None:
    """Send everything of this process through one handler. Safe to call again."""
    root = logging.getLogger()
    if any(isinstance(handler.formatter, JsonLines) for handler in root.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root.addHandler(handler)
    count_repeated_lines()
    logging.captureWarnings(True)  # the library's signature
    _collect_less()
    logging.getLogger("platform").setLevel(logging.INFO)
    # Werkzeug's own request line has the whole address in it, tokens included.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    # Addresses that are called hold keys, and urllib3 puts whole ones into its warnings.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)


def _collect_less() -> None:
    """Don't look up what no line shows, as the library's documentation advises under "Optimization"."""
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.logAsyncioTasks = False
    logging._srcfile = None  # type: ignore[attr-defined]  # noqa: SLF001  # documented


def log_failures(app: Flask) -> None:
    """Log each unexpected failure in one line, without a traceback, which would contain its message."""
    app.log_exception = lambda _exc_info: None  # type: ignore[method-assign]

    @got_request_exception.connect_via(app)
    def failed(_app: Flask, exception: BaseException, **_: Any) -> None:
        error_log.error("request failed", extra={"request_id": request_id(), "failure": describe(exception)})
