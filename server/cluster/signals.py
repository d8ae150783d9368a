"""Signals over Redis."""

import logging
import math
import threading
import time
import uuid
from collections import deque
from contextlib import suppress
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge
from redis import RedisError

from server.cluster.redis_client import SECONDS, connect, reason_of
from server.cluster.request_counts import count_once
from server.logs import clients_log
from server.realtime.repeated_task import RepeatedTask
from services.shared import decimal_json
from services.shared.background import CooperativeYield
from services.shared.signals import Signal, Signals, is_signal

log = logging.getLogger("platform.cluster")

CHANNEL = "platform:signals"
"""Each message in it is an object: the process that sent it, and a list of signals, which may be empty."""

MAX_WAITING = 5_000
SIGNALS_AT_ONCE = 500
"""Signals in one message."""

MAX_BYTES = 4 * 1024 * 1024
"""Of a message. A larger one would occupy the process for long."""

BEAT_SECONDS = 1.0
"""A process that has sent nothing for this time sends an empty list, to hear whether Redis is there."""

SILENCE_SECONDS = 3.0
"""If a process hears nothing of what it sends for this time, it gives the connection up."""

CHECK_SECONDS = 0.5
"""How often a connection without messages is checked."""

PAUSE_SECONDS = 1.0
"""Time between two attempts to connect."""

CHECKED_SECONDS = 2.0
"""How often the process tries what it needs of Redis."""

UNHEARD = "what this process sends through it does not arrive"


class RedisSignals(Signals):
    """Signals over a Redis server, which may be away. One task sends those that wait, another receives.

    The process also hears itself. While it does not, Redis is away.
    """

    is_cluster = True

    def __init__(self, url: str) -> None:
        super().__init__()
        self._redis = connect(url)
        self._process_id = uuid.uuid4().hex
        self._waiting: deque[str] = deque()
        self._wake, self._stop = threading.Event(), threading.Event()
        self.heard_at = -math.inf
        """When this process last heard itself, by the monotonic clock."""
        self._is_interrupted = False
        """Whether a connection has failed, and this process has not heard itself since."""
        self._refusal: str | None = None
        """What the last check has found."""
        self.sent = Counter("signals_sent", "Messages sent to other processes", registry=None)
        self.dropped = Counter(
            "signals_dropped", "Messages dropped because the queue was full or Redis away", registry=None
        )
        self.interruptions = Counter("redis_interruptions", "How often Redis went away", registry=None)

    @property
    def problem(self) -> str | None:
        is_silent = time.monotonic() - self.heard_at > SILENCE_SECONDS + CHECK_SECONDS
        return self._refusal or (UNHEARD if self._is_interrupted or is_silent else None)

    def find_problem(self) -> str | None:
        """Try what the platform needs of Redis. Returns why something does not work."""
        try:
            self._redis.publish(CHANNEL, self._message([]))
            count_once(self._redis)
            with self._redis.pubsub() as pubsub:  # type: ignore[no-untyped-call]
                pubsub.subscribe(CHANNEL)
                pubsub.get_message(timeout=SECONDS)
        except (RedisError, OSError) as error:
            return reason_of(error)
        return None

    def _check(self) -> None:
        """Note and log why something does not work, and when everything works again."""
        found = self.find_problem()
        if found and found != self._refusal:
            log.warning("redis: %s", found)
        self._refusal = found

    def _message(self, texts: list[str]) -> str:
        return f'{{"from":"{self._process_id}","signals":[{",".join(texts)}]}}'

    def tasks(self) -> list[RepeatedTask]:
        """Send and receive while a server runs."""
        sending = RepeatedTask(
            self.send_waiting, every_seconds=BEAT_SECONDS, on_failure="signals not sent", at_end=self._close
        )
        receiving = RepeatedTask(
            self._receive, every_seconds=PAUSE_SECONDS, on_failure="signals not received"
        )
        self._wake, self._stop = sending.woken, receiving.stopping
        checking = RepeatedTask(self._check, every_seconds=CHECKED_SECONDS, on_failure="redis not checked")
        return [sending, receiving, checking]

    def count(self, registry: CollectorRegistry) -> None:
        """Add the metrics of the signals."""
        for counter in (self.sent, self.dropped, self.interruptions):
            registry.register(counter)
        away = Gauge("redis_away", "1 while Redis is away, or refuses what is needed", registry=registry)
        away.set_function(lambda: self.state == "away")

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
                self._redis.publish(CHANNEL, self._message(texts))
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

    def _receive(self) -> None:
        """Receive until the server stops or Redis is away."""
        try:
            self._listen()
        except Exception:  # Redis may come back
            if not self._is_interrupted:
                self._is_interrupted = True
                self.interruptions.inc()
                log.warning("redis away", exc_info=True)

    def _listen(self) -> None:
        """Receive from a new connection until it fails. Raises RedisError, TimeoutError."""
        with self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:  # type: ignore[no-untyped-call]
            pubsub.subscribe(CHANNEL)
            connected_at = time.monotonic()
            # After a standstill there may be tens of thousands of messages, which come without a wait.
            cooperate = CooperativeYield()
            while not self._stop.is_set():
                message = pubsub.get_message(timeout=CHECK_SECONDS)
                if message is not None:
                    self._read(message["data"], cooperate)
                # Checked when all has been read: what this process sent may wait behind other messages.
                elif time.monotonic() - max(self.heard_at, connected_at) > SILENCE_SECONDS:
                    raise TimeoutError("nothing that was sent arrives")

    def _read(self, data: bytes, cooperate: CooperativeYield) -> None:
        """Handle the signals of a message of another process."""
        try:
            sender, signals = _parse(data)
        except (ValueError, TypeError, KeyError):
            clients_log.warning("message ignored", exc_info=True)
            return
        if sender == self._process_id:
            self._hear_itself()
            return
        for name, payload in signals:
            self._handle(name, payload)
            cooperate()

    def _hear_itself(self) -> None:
        if self._is_interrupted or self.heard_at == -math.inf:
            log.info("redis connected")
        self.heard_at = time.monotonic()
        if self._is_interrupted:
            self._is_interrupted = False
            for resumed in self.on_resumed:
                resumed()

    def _handle(self, name: Any, payload: Any) -> None:
        """Call the handlers of a signal. Another version or another program may send unknown ones."""
        if not is_signal(name, payload) or name not in self._handlers:
            clients_log.warning("signal ignored")
            return
        for handler in self._handlers[name]:
            try:
                handler(payload)
            except Exception:  # noqa: BLE001  # the next handler may work
                clients_log.exception("signal not handled")


def _parse(data: bytes) -> tuple[Any, list[tuple[Any, Any]]]:
    """The sender and the signals of a message. Raises ValueError, TypeError or KeyError for another one."""
    if len(data) > MAX_BYTES:
        raise ValueError("too large")
    received = decimal_json.loads(data)
    return received["from"], [(name, payload) for name, payload in received["signals"]]
