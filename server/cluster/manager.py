"""The Socket.IO library's manager, with the sockets of other processes."""

from typing import Any

from socketio import PubSubManager

from server.cluster.signals import CHANNEL, METHOD, RedisSignals
from server.realtime.server import Manager


class RedisManager(PubSubManager, Manager):  # type: ignore[misc]  # the library carries no types
    """Passes the library's ``emit`` and ``disconnect`` on to the other processes, and does theirs.

    So another program may use Flask-SocketIO with the same Redis. It may not use acknowledgements, whose ids
    are those of proofs here, nor rooms: the only ones here are those of all sockets and of each alone.
    """

    def __init__(self, signals: RedisSignals) -> None:
        super().__init__(channel=CHANNEL)
        self.host_id = signals.process_id
        self._signals = signals

    def initialize(self) -> None:
        """Do nothing: the library would begin to listen with the first client."""

    def _publish(self, data: dict[str, Any]) -> None:
        self._signals.publisher.add(data)

    def receive(self, message: Any) -> None:
        """Handle a message, unless this process sent it."""
        if message["host_id"] == self.host_id:
            return
        if message["method"] == METHOD:
            self._signals.handle(message)
        elif message["method"] == "emit":
            self._handle_emit(message | {"callback": None})
        elif message["method"] == "disconnect":
            self._handle_disconnect(message)
