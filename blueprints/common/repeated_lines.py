"""Log lines that a client can cause at will, written at most once in ten seconds each, with their number."""

import logging
import threading
from collections import Counter

log = logging.getLogger("platform.clients")
"""For what single clients do wrong. Lines that are alike are counted, not repeated."""

INTERVAL_SECONDS = 10.0
MAX_KINDS = 200
"""Different lines in one interval; the others are dropped."""

COMPARED = ("event", "outcome", "failure")


class RepeatedLines(logging.Filter):
    """Lets the first line of a kind through, and after an interval one more with ``repeated``, their number.

    Lines are of one kind when logger, message, event, outcome and failure are the same.
    """

    def __init__(self, *, interval_seconds: float = INTERVAL_SECONDS) -> None:
        super().__init__()
        self._interval_seconds = interval_seconds
        self._last: dict[tuple[object, ...], logging.LogRecord] = {}
        self._repeated: Counter[tuple[object, ...]] = Counter()
        self._guard = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        if "repeated" in vars(record):
            return True
        kind = (record.name, record.msg, *(vars(record).get(name) for name in COMPARED))
        with self._guard:
            is_first = kind not in self._last
            if is_first:
                if len(self._last) >= MAX_KINDS:
                    return False
                if not self._last:
                    self._start_interval()
            else:
                self._repeated[kind] += 1
            self._last[kind] = record
        return is_first

    def _start_interval(self) -> None:
        timer = threading.Timer(self._interval_seconds, self._write_repeated)
        timer.daemon = True
        timer.start()

    def _write_repeated(self) -> None:
        with self._guard:
            last, repeated = self._last, self._repeated
            self._last, self._repeated = {}, Counter()
        for kind, count in repeated.items():
            record = last[kind]
            vars(record)["repeated"] = count
            logging.getLogger(record.name).handle(record)


_filter = RepeatedLines()


def count_repeated_lines() -> None:
    """Apply this to what the worker and the socket server log of their clients. Safe to call again."""
    for name in (log.name, "platform.realtime", "platform.worker", "engineio", "socketio"):
        logging.getLogger(name).addFilter(_filter)
