"""Signals between processes over Redis."""

import uuid
from typing import Any

from server.cluster.publisher import Publisher
from server.cluster.subscription import Subscription
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.shared.signals import Signal, Signals

CHANNEL = "flask-socketio"
"""Flask-SocketIO's own, so that another program may emit to the sockets of all processes."""

METHOD = "signal"
"""Tells a signal from the messages of the Socket.IO library, which are in the same channel."""


class RedisSignals(Signals):
    """Signals over a Redis server, which may be away. They begin when the server of this process starts."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.process_id = uuid.uuid4().hex
        channels = {"channel": CHANNEL, "heartbeat_channel": f"{CHANNEL}:{self.process_id}"}
        self.publisher = Publisher(url, **channels)
        self.subscription = Subscription(url, **channels)
        self.subscription.on_connected = self.publisher.beat
        self.subscription.on_resumed = self.on_resumed

    @property
    def are_away(self) -> bool:
        return self.subscription.is_away

    def publish(self, name: Signal, payload: Any) -> None:
        """Queue a message to the other processes. Raises TypeError for a payload that is not JSON."""
        self.publisher.add({"method": METHOD, "host_id": self.process_id, "name": name, "payload": payload})

    def handle(self, message: dict[str, Any]) -> None:
        """Call the handlers of a message. A process of another version may send unknown names."""
        for handler in self._handlers.get(message["name"], ()):
            try:
                handler(message["payload"])
            except Exception as failure:  # noqa: BLE001  # the next handler may work
                log.error("signal not handled", extra={"failure": safe_exception_summary(failure)})
