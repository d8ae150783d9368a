"""The connection on which a process hears the other processes, and itself."""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from prometheus_client import Counter

from server import repeated_lines
from services.shared import decimal_json
from services.shared.background import CooperativeYield
from services.shared.redis_client import connect

log = logging.getLogger("platform.cluster")

CHANNEL = "platform:signals"
"""Each message in it is an object: the process that sent it, and a list of signals, which may be empty."""

MAX_BYTES = 4 * 1024 * 1024
"""Of a message. A larger one would occupy the process for long."""

SILENCE_SECONDS = 3.0
"""This process sends something every second. If it hears nothing of it, the connection is given up."""

CHECK_SECONDS = 0.5
"""How often a connection without messages is checked."""

PAUSE_SECONDS = 1.0
"""Time between two attempts to connect."""

MALFORMED = (ValueError, TypeError, KeyError)


class Silent(Exception):
    """The connection is open, but nothing that this process has sent arrives."""


class Subscription:
    """Receives signals, and connects again when this process does not hear itself."""

    def __init__(self, url: str, *, process_id: str, on_signal: Callable[[Any, Any], None]) -> None:
        """``on_signal`` is called with the name and the payload of each signal of another process."""
        self._redis = connect(url)
        self._process_id = process_id
        self._on_signal = on_signal
        self.stop = threading.Event()
        """Set to end ``receive``."""
        self.heard_at = -math.inf
        """When this process last heard itself, by the monotonic clock."""
        self._is_interrupted = False
        """Whether a connection has failed, and this process has not heard itself since."""
        self.interruptions = Counter("redis_interruptions", "How often Redis went away", registry=None)
        self.on_resumed: Sequence[Callable[[], None]] = ()
        """Called when Redis is back after it was away. Signals before that may have been lost."""

    @property
    def is_away(self) -> bool:
        """Whether this process did not hear itself lately, so signals may be lost."""
        is_silent = time.monotonic() - self.heard_at > SILENCE_SECONDS + CHECK_SECONDS
        return self._is_interrupted or is_silent

    def close(self) -> None:
        self._redis.close()

    def receive(self) -> None:
        """Receive until ``stop`` is set or Redis is away."""
        try:
            self._listen()
        except Exception:  # Redis may come back
            if not self._is_interrupted:
                self._is_interrupted = True
                self.interruptions.inc()
                log.warning("redis away", exc_info=True)

    def _listen(self) -> None:
        """Receive from a new connection until it fails. Raises RedisError and Silent."""
        with self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:  # type: ignore[no-untyped-call]
            pubsub.subscribe(CHANNEL)
            connected_at = time.monotonic()
            # After a standstill there may be tens of thousands of messages, which come without a wait.
            cooperate = CooperativeYield()
            while not self.stop.is_set():
                message = pubsub.get_message(timeout=CHECK_SECONDS)
                if message is None:
                    # Checked when all has been read: what this process sent may wait behind other messages.
                    if time.monotonic() - max(self.heard_at, connected_at) > SILENCE_SECONDS:
                        raise Silent
                    continue
                try:
                    sender, signals = _parse(message["data"])
                except MALFORMED:
                    repeated_lines.log.warning("message ignored", exc_info=True)
                    continue
                if sender == self._process_id:
                    self._hear_itself()
                    continue
                for name, payload in signals:
                    self._on_signal(name, payload)
                    cooperate()

    def _hear_itself(self) -> None:
        if self._is_interrupted or self.heard_at == -math.inf:
            log.info("redis connected")
        self.heard_at = time.monotonic()
        if self._is_interrupted:
            self._is_interrupted = False
            for resumed in self.on_resumed:
                resumed()


def _parse(data: bytes) -> tuple[Any, list[tuple[Any, Any]]]:
    """The sender and the signals of a message. Raises one of MALFORMED for that of another program."""
    if len(data) > MAX_BYTES:
        raise ValueError("too large")
    received = decimal_json.loads(data)
    return received["from"], [(name, payload) for name, payload in received["signals"]]
