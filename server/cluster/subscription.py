"""The connection on which a process hears the other processes, and its own heartbeat."""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from prometheus_client import Counter

from server import repeated_lines
from server.redaction import safe_exception_summary
from services.shared import decimal_json
from services.shared.background import CooperativeYield
from services.shared.redis_client import connect

log = logging.getLogger("platform.cluster")

SILENCE_SECONDS = 3.0
"""Heartbeats come every second. Without one for this time, the connection is given up."""

CHECK_SECONDS = 0.5
"""How often a connection without messages is checked."""

PAUSE_SECONDS = 1.0
"""Time between two attempts to connect."""


class Silent(Exception):
    """The connection is open, but no heartbeat arrives."""


class Subscription:
    """Receives messages, and connects again when the heartbeat is not heard."""

    def __init__(self, url: str, *, channel: str, heartbeat_channel: str) -> None:
        self._redis = connect(url)
        self._channel = channel
        self._heartbeat_channel = heartbeat_channel
        self._stop = threading.Event()
        self.heard_at = -math.inf
        """When the last heartbeat arrived, by the monotonic clock."""
        self._hears = False
        """Whether this connection has brought a heartbeat."""
        self._is_reported = False
        """Whether the log says that Redis is away."""
        self.interruptions = Counter("redis_interruptions", "How often Redis went away", registry=None)
        self.on_connected: Callable[[], None] = lambda: None
        """Called before the first message of a connection."""
        self.on_message: Callable[[Any], None] = lambda _message: None
        """Called with each message. Whatever it raises is logged."""
        self.on_resumed: Sequence[Callable[[], None]] = ()
        """Called with the first heartbeat after Redis was away. Messages before it may have been lost."""

    @property
    def is_away(self) -> bool:
        """Whether no heartbeat was heard lately, so messages may be lost."""
        return not self._hears or time.monotonic() - self.heard_at > SILENCE_SECONDS + CHECK_SECONDS

    def close(self) -> None:
        self._stop.set()

    def run(self) -> None:
        """Receive until ``close``."""
        while not self._stop.is_set():
            try:
                self._listen()
            except Exception as failure:  # noqa: BLE001  # Redis may come back
                self._hears = False
                if not self._is_reported:
                    self._is_reported = True
                    self.interruptions.inc()
                    log.warning("redis away", extra={"failure": safe_exception_summary(failure)})
                self._stop.wait(PAUSE_SECONDS)
        self._redis.close()

    def _listen(self) -> None:
        """Receive from a new connection until it fails. Raises RedisError and Silent."""
        with self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:  # type: ignore[no-untyped-call]
            pubsub.subscribe(self._channel, self._heartbeat_channel)
            connected_at = time.monotonic()
            # After a standstill there may be tens of thousands of messages, which come without a wait.
            cooperate = CooperativeYield()
            self.on_connected()
            while not self._stop.is_set():
                message = pubsub.get_message(timeout=CHECK_SECONDS)
                if message is None:
                    # Checked when all has been read: a heartbeat may wait behind other messages.
                    if time.monotonic() - max(self.heard_at, connected_at) > SILENCE_SECONDS:
                        raise Silent
                elif message["channel"] == self._heartbeat_channel.encode():
                    self._hear_heartbeat()
                else:
                    for each in _messages(message["data"]):
                        self._pass_on(each)
                        cooperate()

    def _hear_heartbeat(self) -> None:
        self.heard_at = time.monotonic()
        if not self._hears:
            self._hears = True
            log.info("redis connected")
            if self._is_reported:
                self._is_reported = False
                for resumed in self.on_resumed:
                    resumed()

    def _pass_on(self, message: Any) -> None:
        try:
            self.on_message(message)
        except Exception as failure:  # noqa: BLE001  # the next message may be good
            repeated_lines.log.error(
                "message not handled", extra={"failure": safe_exception_summary(failure)}
            )


def _messages(text: bytes) -> list[Any]:
    """The messages in a text of the channel: one, or those that a process sent together."""
    try:
        received = decimal_json.loads(text)
    except ValueError:
        return []
    return received if isinstance(received, list) else [received]
