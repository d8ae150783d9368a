"""Log lines that a client can cause at will: each is written at most once in ten seconds."""

import logging
import math
import threading
import time

from cachetools import LRUCache

log = logging.getLogger("platform.clients")
"""For errors of single clients, and for messages of other programs."""

INTERVAL_SECONDS = 10.0
MAX_KINDS = 200
"""Different lines that are remembered."""

COMPARED = ("event", "outcome", "failure")


class RepeatedLines(logging.Filter):
    """Lets one line of a kind through in each interval, with ``repeated``: how many were dropped before it.

    Lines are of one kind when logger, message, event, outcome and failure are the same.
    """

    def __init__(self) -> None:
        super().__init__()
        # When the last line of a kind was written, and how many were dropped since.
        self._kinds: LRUCache[tuple[object, ...], tuple[float, int]] = LRUCache(MAX_KINDS)
        self._guard = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        kind = (record.name, record.msg, *(vars(record).get(name) for name in COMPARED))
        now = time.monotonic()
        with self._guard:
            written_at, dropped = self._kinds.get(kind, (-math.inf, 0))
            is_due = now - written_at >= INTERVAL_SECONDS
            self._kinds[kind] = (now, 0) if is_due else (written_at, dropped + 1)
        if is_due and dropped:
            vars(record)["repeated"] = dropped
        return is_due


_filter = RepeatedLines()


LOGGERS = (log.name, "platform.realtime", "platform.worker", "platform.rate_limits", "engineio", "socketio")
"""What the worker, the socket server and the shared rate limits log about their clients."""


def drop_repeated_lines() -> None:
    """Apply this to LOGGERS. Safe to call again."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_filter)
