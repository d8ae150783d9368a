"""Sends the messages of this process to Redis."""

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from prometheus_client import Counter

from server.redaction import safe_exception_summary
from services.shared import decimal_json
from services.shared.redis_client import connect

log = logging.getLogger("platform.cluster")

BEAT_SECONDS = 1.0
"""Time between two heartbeats."""

MAX_WAITING = 5_000
MESSAGES_AT_ONCE = 500
"""Messages in one PUBLISH."""

PAUSE_SECONDS = 1.0
"""Time between two attempts while Redis is away."""


class Publisher:
    """A bounded queue, and the task that sends it to Redis. Adding a message never waits."""

    def __init__(self, url: str, *, channel: str, heartbeat_channel: str) -> None:
        self._redis = connect(url)
        self._channel = channel
        self._heartbeat_channel = heartbeat_channel
        self._waiting: deque[str] = deque()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._next_beat_at = 0.0
        self.sent = Counter("signals_sent", "Messages sent to other processes", registry=None)
        self.dropped = Counter(
            "signals_dropped", "Messages dropped because the queue was full or Redis away", registry=None
        )

    def add(self, message: Mapping[str, Any]) -> None:
        """Queue a message. A full queue drops it."""
        if len(self._waiting) >= MAX_WAITING:
            self.dropped.inc()
            return
        self._waiting.append(decimal_json.dumps(message))
        self._wake.set()

    def beat(self) -> None:
        """Send a heartbeat now."""
        self._next_beat_at = 0.0
        self._wake.set()

    def close(self) -> None:
        """Let the task end once it has sent what is waiting."""
        self._stop.set()
        self._wake.set()

    def run(self) -> None:
        """Send messages and heartbeats until ``close``."""
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
        if time.monotonic() >= self._next_beat_at:
            self._redis.publish(self._heartbeat_channel, "")
            self._next_beat_at = time.monotonic() + BEAT_SECONDS
        while self._waiting:
            texts = [self._waiting.popleft() for _ in range(min(len(self._waiting), MESSAGES_AT_ONCE))]
            try:
                self._redis.publish(self._channel, f"[{','.join(texts)}]")
            except Exception:
                self.dropped.inc(len(texts))
                raise
            self.sent.inc(len(texts))
