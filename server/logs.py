"""Structured logs: one JSON object a line on standard error.

No line has the message of an exception, and lines that clients can cause at will are written at most once in
ten seconds.
"""

import errno
import logging
import sys
import threading
import time
import traceback
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from models.db.connection import schema_problem
from models.db.new_connections import UnusableDatabase

clients_log = logging.getLogger("platform.clients")
"""For errors of single clients, and for messages of other programs."""

ROOT = Path(__file__).resolve().parents[1]

INTERVAL_SECONDS = 10.0
MAX_KINDS = 200
"""Different lines in one interval; the others are dropped."""

COMPARED = ("event", "outcome")
"""Fields that make lines different, beside logger, message and failure."""

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
        return orjson.dumps(line, default=str).decode()


def safe_exception_summary(error: BaseException) -> str:
    """The types of an exception and its causes, and where each was raised.

    Never the message, which may have amounts, seeds or tokens: databases put values of rows into theirs, and
    libraries their arguments. The exceptions are the name of a missing table or column, and what this program
    raises about the database itself.
    """
    parts = []
    cause: BaseException | None = error
    while cause is not None:
        code = getattr(cause, "pgcode", None) or getattr(cause, "sqlite_errorname", None)
        if isinstance(cause, OSError):
            # Such as ENOSPC.
            code = errno.errorcode.get(cause.errno or 0)
        kind = f"{type(cause).__name__}{f' {code}' if code else ''}"
        frames = [
            f"{_short(frame.filename)}:{frame.lineno}" for frame in traceback.extract_tb(cause.__traceback__)
        ]
        problem = str(cause) if isinstance(cause, UnusableDatabase) else schema_problem(cause)
        parts.append(f"{kind} at {' < '.join(reversed(frames[-8:]))}{f' ({problem})' if problem else ''}")
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "; caused by ".join(parts)


def _short(filename: str) -> str:
    path = Path(filename)
    if path.is_relative_to(ROOT):
        return str(path.relative_to(ROOT)).split("site-packages/")[-1]
    return "/".join(path.parts[-2:])


class RepeatedLines(logging.Filter):
    """Lets the first line of a kind through in each interval.

    The first line of the next interval has ``repeated``, the number of lines that were dropped in the one
    before. Lines are of one kind when logger, message, event, outcome and failure are the same.
    """

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()
        self._counts: Counter[tuple[object, ...]] = Counter()
        self._previous: Counter[tuple[object, ...]] = Counter()
        self._guard = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        failure = record.exc_info and record.exc_info[1]
        summary = failure and safe_exception_summary(failure)
        kind = (record.name, record.msg, summary, *(vars(record).get(name) for name in COMPARED))
        with self._guard:
            now = time.monotonic()
            if now - self._began >= INTERVAL_SECONDS:
                self._began, self._counts, self._previous = now, Counter(), self._counts
            if len(self._counts) >= MAX_KINDS and kind not in self._counts:
                return False
            self._counts[kind] += 1
            if self._counts[kind] > 1:
                return False
            dropped = self._previous[kind] - 1
        if dropped > 0:
            vars(record)["repeated"] = dropped
        return True


_repeated_lines = RepeatedLines()


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
    for name in (clients_log.name, "platform.realtime", "platform.worker", "engineio", "socketio"):
        logging.getLogger(name).addFilter(_repeated_lines)
    logging.captureWarnings(True)
    # Werkzeug logs whole URLs, with the tokens in them.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    # urllib3 puts URLs of price sources, which can contain keys, into its warnings.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)
