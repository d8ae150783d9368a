"""What the server does with each Socket.IO packet of a client, before the library parses it."""

from collections.abc import Callable
from typing import Any

from flask import Flask, g
from flask_socketio import SocketIO
from socketio.packet import ACK, CONNECT, DISCONNECT, EVENT

from blueprints.common.failures import describe
from blueprints.common.repeated_lines import log
from blueprints.realtime.connections import Connections
from blueprints.realtime.handshakes import NAMESPACE, Handshakes
from blueprints.realtime.tasks import Tasks
from blueprints.realtime.transport import Transports
from services.clock import Millis
from services.rate import Rate
from services.upgrader.errors import TooManySpins

EVENTS, SECONDS = 30, 10.0
"""Events that one player, or one address without a token, may send in this time."""

REFUSED_SECONDS = 0.5
"""Until the next packet of a client is read whose event was one too many. A flood then fills the client's own
buffers instead of this process's time."""


class Packets:
    """Handles each packet by its kind: joining, leaving, an event, or an acknowledgement."""

    def __init__(
        self,
        app: Flask,
        socketio: SocketIO,
        *,
        transports: Transports,
        handshakes: Handshakes,
        connections: Connections,
        tasks: Tasks,
        rate: Rate | None,
        clock: Callable[[], Millis],
    ) -> None:
        self._app = app
        self._socketio = socketio
        self._server = socketio.server
        self._transports = transports
        self._handshakes = handshakes
        self._connections = connections
        self._tasks = tasks
        self._rate = rate
        self._clock = clock
        self._handle_in_library = self._server.eio.handlers["message"]
        self._server.eio.on("message", self._message)

    def _message(self, transport_id: str, data: Any) -> None:
        """Handle a packet, or close a transport that sends what no client of the platform sends.

        There are no binary events, and a packet that announces attachments would silence its socket.
        """
        kind = int(data[0]) if isinstance(data, str) and data[:1] in "0123456789" and data else None
        if kind == EVENT:
            allowed = self._rate is None or not self._rate.spend(self._client(transport_id))
            self._tasks.begin()
            self._socketio.start_background_task(self._event, transport_id, data, allowed=allowed)
            if not allowed:
                self._socketio.sleep(REFUSED_SECONDS)
        elif kind == CONNECT:
            self._handshakes.join(transport_id, lambda: self._handle(transport_id, data))
        elif kind == ACK:
            self._handle(transport_id, data)
        else:
            if kind == DISCONNECT:
                self._handle(transport_id, data)
            # Without its namespace a transport would stay open and count nowhere.
            self._transports.close(transport_id)

    def _client(self, transport_id: str) -> int | str | None:
        """Whose budget an event counts against: the player's, or the address's without a good token."""
        sid = self._server.manager.sid_from_eio_sid(transport_id, NAMESPACE)
        connection = self._connections.get(sid)
        user_id = connection.user_id_at(self._clock()) if connection else None
        if user_id is not None:
            return user_id
        environ = self._server.environ.get(transport_id, {})
        address: str | None = environ.get("REMOTE_ADDR")
        return address

    def _event(self, transport_id: str, data: str, *, allowed: bool) -> None:
        """Let the library call the event's handler and acknowledge it, then do what follows.

        The library would start this task itself, but then nothing could be sent after the acknowledgement.
        """
        try:
            with self._app.app_context():
                g.event_is_allowed = allowed
                g.after_event = []
                self._handle(transport_id, data)
                for follow_up in g.after_event:
                    follow_up()
        finally:
            self._tasks.end()

    def _handle(self, transport_id: str, data: str) -> None:
        try:
            self._handle_in_library(transport_id, data)
        except (ValueError, TypeError, LookupError) as failure:
            # The library parses a packet without checking its form first. What can't be parsed can't be
            # answered, because the event's name and its acknowledgement's id are in it.
            log.warning("packet refused", extra={"failure": describe(failure)})
            self._transports.close(transport_id)


def after_this_event(follow_up: Callable[[], None]) -> None:
    """Call this after the current event's acknowledgement was sent, as ``flask.after_this_request`` does."""
    g.after_event.append(follow_up)


def check_event_rate() -> None:
    """Raises TooManySpins when the current event is one more than its client may send."""
    if not g.event_is_allowed:
        raise TooManySpins
