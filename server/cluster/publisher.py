"""Sends the signals of this process to Redis."""

import logging
import threading
from collections import deque
from typing import Any

from prometheus_client import Counter

from server.redaction import safe_exception_summary
from services.shared import decimal_json
from services.shared.redis_client import connect

log = logging.getLogger("platform.cluster")

CHANNEL = "platform:signals"
"""Each message in it is an object: the process that sent it, and a list of signals, which may be empty."""

BEAT_SECONDS = 1.0
"""A process that has sent nothing for this time sends an empty list, to hear whether Redis is there."""

MAX_WAITING = 5_000
SIGNALS_AT_ONCE = 500
"""Signals in one message."""

PAUSE_SECONDS = 1.0
"""Time between two attempts while Redis is away."""


class Publisher:
    """A bounded queue, and the task that sends it to Redis. Adding a signal never waits."""

    def __init__(self, url: str, *, process_id: str) -> None:
        self._redis = connect(url)
        self._process_id = process_id
        self._waiting: deque[str] = deque()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self.sent = Counter("signals_sent", "Messages sent to other processes", registry=None)
        self.dropped = Counter(
            "signals_dropped", "Messages dropped because the queue was full or Redis away", registry=None
        )

    def add(self, name: str, payload: Any) -> None:
        """Queue a signal. A full queue drops it."""
        if len(self._waiting) >= MAX_WAITING:
            self.dropped.inc()
            return
        self._waiting.append(decimal_json.dumps([name, payload]))
        self._wake.set()

    def close(self) -> None:
        """Let the task end once it has sent what is waiting."""
        self._stop.set()
        self._wake.set()

    def run(self) -> None:
        """Send signals until ``close``."""
        was_sent = True
        while self._waiting or not self._stop.is_set():
            self._wake.wait(BEAT_SECONDS)
            self._wake.clear()
            try:
                self._send_waiting()
            except Exception as failure:  # noqa: BLE001  # Redis may come back
                # Not kept for later: the other processes will have found the changes in the database.
                self.dropped.inc(len(self._waiting))
                self._waiting.clear()
                if was_sent:
                    log.warning("signals not sent", extra={"failure": safe_exception_summary(failure)})
                was_sent = False
                self._stop.wait(PAUSE_SECONDS)
            else:
                was_sent = True
        self._redis.close()

    def _send_waiting(self) -> None:
        is_complete = False
        while not is_complete:
            texts = [self._waiting.popleft() for _ in range(min(len(self._waiting), SIGNALS_AT_ONCE))]
            try:
                self._redis.publish(CHANNEL, f'{{"from":"{self._process_id}","signals":[{",".join(texts)}]}}')
            except Exception:
                self.dropped.inc(len(texts))
                raise
            self.sent.inc(len(texts))
            is_complete = not self._waiting
