"""Log lines that a client can cause at will: each is written at most once in ten seconds."""

import logging
import threading
import time
from collections import Counter

from server.redaction import safe_exception_summary

log = logging.getLogger("platform.clients")
"""For errors of single clients, and for messages of other programs."""

INTERVAL_SECONDS = 10.0
MAX_KINDS = 200
"""Different lines in one interval; the others are dropped."""

COMPARED = ("event", "outcome")


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


_filter = RepeatedLines()


def drop_repeated_lines() -> None:
    """Apply this to what the worker and the socket server log about their clients. Safe to call again."""
    for name in (log.name, "platform.realtime", "platform.worker", "engineio", "socketio"):
        logging.getLogger(name).addFilter(_filter)
