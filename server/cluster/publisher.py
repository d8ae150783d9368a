"""Sends the signals of this process to Redis."""

import threading
from collections import deque
from contextlib import suppress
from typing import Any

from prometheus_client import Counter
from redis import RedisError

from services.shared import decimal_json
from services.shared.redis_client import connect

CHANNEL = "platform:signals"
"""Each message in it is an object: the process that sent it, and a list of signals, which may be empty."""

BEAT_SECONDS = 1.0
"""A process that has sent nothing for this time sends an empty list, to hear whether Redis is there."""

MAX_WAITING = 5_000
SIGNALS_AT_ONCE = 500
"""Signals in one message."""


class Publisher:
    """A bounded queue, which a task sends to Redis. Adding a signal never waits."""

    def __init__(self, url: str, *, process_id: str) -> None:
        self._redis = connect(url)
        self._process_id = process_id
        self._waiting: deque[str] = deque()
        self.wake = threading.Event()
        """Set when a signal is waiting."""
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
        self.wake.set()

    def close(self) -> None:
        """Send what is waiting, and disconnect."""
        with suppress(RedisError, OSError):
            self.send_waiting()
        self._redis.close()

    def send_waiting(self) -> None:
        """Send what is waiting, or an empty list. Raises RedisError, and drops what was not sent.

        It is not kept for later: the other processes will have found the changes in the database.
        """
        is_complete = False
        while not is_complete:
            texts = [self._waiting.popleft() for _ in range(min(len(self._waiting), SIGNALS_AT_ONCE))]
            try:
                self._redis.publish(CHANNEL, f'{{"from":"{self._process_id}","signals":[{",".join(texts)}]}}')
            except Exception:
                self.dropped.inc(len(texts) + len(self._waiting))
                self._waiting.clear()
                raise
            self.sent.inc(len(texts))
            is_complete = not self._waiting
