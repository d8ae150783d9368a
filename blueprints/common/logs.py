"""Structured logs: one JSON object a line on standard error, one line a request.

A line never holds a query string, a body, a header or a path parameter, so tokens, seeds and amounts
have no way into it.
"""

import json
import logging
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from flask import Flask, got_request_exception, has_request_context, request

from blueprints.common.exchange import exchange_in
from blueprints.common.failures import describe
from blueprints.common.repeated_lines import count_repeated_lines

answers_log = logging.getLogger("platform.request")
events_log = logging.getLogger("platform.events")
error_log = logging.getLogger("platform.errors")

EXTRA_FIELDS = (
    *("request_id", "method", "route", "status", "ms", "event", "outcome", "failure"),
    "provider",
    *("updated", "held_back", "item"),
    "repeated",
)

# One for all lines: the library's function makes a new encoder at every call.
_as_json = json.JSONEncoder(ensure_ascii=False).encode

REMEMBERED = 256
"""What lines have alike, as JSON. Clients make methods up, so not all of it is remembered."""


class Answered(NamedTuple):
    """An answer, as its line tells of it: when in seconds of Unix time, and what it took in seconds.

    ``status`` such as 200 OK.
    """

    at: float
    request_id: str | None
    method: str
    route: str
    status: str
    seconds: float

    @property
    def code(self) -> int:
        return int(self.status[:3])

    def line(self) -> str:
        """What JsonLines would make of it, written by hand: there is one for every request."""
        return (
            f'{{"time": {int(self.at * 1000)}, "level": "info", "logger": "platform.request"'
            f', "message": "request", "request_id": "{self.request_id}"'
            f"{_what(self.method, self.route, self.status)}{self.seconds * 1000:.1f}}}"
        )


class Handled(NamedTuple):
    """An event of a socket, as its line tells of it. ``outcome`` such as won, or the text of a refusal."""

    at: float
    name: str
    outcome: str
    seconds: float

    def line(self) -> str:
        """What JsonLines would make of it, written by hand: there is one for every spin."""
        return (
            f'{{"time": {int(self.at * 1000)}, "level": "info", "logger": "platform.events"'
            f', "message": "event"{_how(self.name, self.outcome)}{self.seconds * 1000:.1f}}}'
        )


class TogetherRecord(logging.LogRecord):
    """One record for some lines.

    Made without what the library looks up for each record and no line of ours holds: the caller, the thread,
    the process. One by one, and with all that, a line took 30 µs; a hundred together take one each.
    """

    PLAIN = vars(logging.makeLogRecord({"levelno": logging.INFO, "levelname": "INFO", "msg": "several"}))

    def __init__(
        self, log: logging.Logger, notes: Sequence[Answered | Handled]
    ) -> None:  # the base's own is what is left out
        vars(self).update(self.PLAIN, name=log.name, created=notes[-1].at, notes=notes)

    def lines(self) -> str:
        notes: Sequence[Answered | Handled] = vars(self)["notes"]
        return "\n".join([note.line() for note in notes])


@lru_cache(maxsize=REMEMBERED)
def _what(method: str, route: str, status: str) -> str:
    """The part of a line that many have alike."""
    return f', "method": {_as_json(method)}, "route": {_as_json(route)}, "status": {status[:3]}, "ms": '


@lru_cache(maxsize=REMEMBERED)
def _how(name: str, outcome: str) -> str:
    """The same, of an event."""
    return f', "event": {_as_json(name)}, "outcome": {_as_json(outcome)}, "ms": '


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; the time is Unix time in milliseconds."""

    def format(self, record: logging.LogRecord) -> str:
        if isinstance(record, TogetherRecord):
            return record.lines()
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
        return _as_json(line)


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
    logging.getLogger("platform").setLevel(logging.INFO)
    # Werkzeug's own request line has the whole address in it, tokens included.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    # Addresses that are called hold keys, and urllib3 puts whole ones into its warnings.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)


def log_together(log: logging.Logger, notes: Sequence[Answered | Handled]) -> None:
    """Write a line for each of these, of which there is one at least."""
    if log.isEnabledFor(logging.INFO):
        log.handle(TogetherRecord(log, notes))


def log_failures(app: Flask) -> None:
    """Give every failure that nobody foresaw a line, and no traceback, which would have the message in it."""
    app.log_exception = lambda _exc_info: None  # type: ignore[method-assign]

    @got_request_exception.connect_via(app)
    def failed(_app: Flask, exception: BaseException, **_: Any) -> None:
        error_log.error("request failed", extra={"request_id": request_id(), "failure": describe(exception)})


def request_id() -> str | None:
    """The id of the current request; None where there is none, as for a socket's event."""
    return exchange_in(request.environ).request_id if has_request_context() else None
