"""Signals between processes over Redis."""

import threading
import uuid
from collections import deque
from contextlib import suppress
from typing import Any

from prometheus_client import Counter
from redis import RedisError

from server.cluster.subscription import CHANNEL, PAUSE_SECONDS, Subscription
from server.realtime.repeated_task import RepeatedTask
from server.repeated_lines import log
from services.shared import decimal_json
from services.shared.redis_client import connect
from services.shared.signals import Signal, Signals, is_signal

BEAT_SECONDS = 1.0
"""A process that has sent nothing for this time sends an empty list, to hear whether Redis is there."""

MAX_WAITING = 5_000
SIGNALS_AT_ONCE = 500
"""Signals in one message."""


class RedisSignals(Signals):
    """Signals over a Redis server, which may be away. One task sends those that wait, another receives."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._redis = connect(url)
        self._process_id = uuid.uuid4().hex
        self._waiting: deque[str] = deque()
        self._wake = threading.Event()
        self.sent = Counter("signals_sent", "Messages sent to other processes", registry=None)
        self.dropped = Counter(
            "signals_dropped", "Messages dropped because the queue was full or Redis away", registry=None
        )
        self.subscription = Subscription(url, process_id=self._process_id, on_signal=self._handle)
        self.subscription.on_resumed = self.on_resumed

    @property
    def are_away(self) -> bool:
        return self.subscription.is_away

    def tasks(self) -> list[RepeatedTask]:
        """Send and receive while a server runs."""
        sending = RepeatedTask(
            self.send_waiting,
            every_seconds=BEAT_SECONDS,
            on_failure="signals not sent",
            at_end=self._close,
        )
        self._wake = sending.woken
        receiving = RepeatedTask(
            self.subscription.receive,
            every_seconds=PAUSE_SECONDS,
            on_failure="signals not received",
            at_end=self.subscription.close,
        )
        self.subscription.stop = receiving.stopping
        return [sending, receiving]

    def publish(self, name: Signal, payload: Any) -> None:
        """Queue a signal. A full queue drops it. Raises TypeError for a payload that is not JSON."""
        if len(self._waiting) >= MAX_WAITING:
            self.dropped.inc()
            return
        self._waiting.append(decimal_json.dumps([name, payload]))
        self._wake.set()

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

    def _close(self) -> None:
        """Send what is waiting, and disconnect."""
        with suppress(RedisError, OSError):
            self.send_waiting()
        self._redis.close()

    def _handle(self, name: Signal, payload: Any) -> None:
        """Call the handlers of a signal. Another version or another program may send unknown ones."""
        if not is_signal(name, payload) or name not in self._handlers:
            log.warning("signal ignored")
            return
        for handler in self._handlers[name]:
            try:
                handler(payload)
            except Exception:  # noqa: BLE001  # the next handler may work
                log.exception("signal not handled")
