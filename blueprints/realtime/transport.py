"""The connection below the Socket.IO protocol: its unread messages, its pings and its end."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import engineio.socket
from engineio.packet import PING, Packet
from flask_socketio import SocketIO

from blueprints.realtime.deadlines import Deadlines
from blueprints.realtime.frames import Batch

MAX_UNREAD_PACKETS = 500
"""What a client may leave unread: far more than a page that draws late ever does."""

UPGRADE_SECONDS = 10.0
"""From the websocket that a polling client opens until it has replaced the polling."""

FAREWELL_SECONDS = 3.0
"""From the closing of a transport until its websocket is cut, read or not."""

PACKET_SECONDS = 0.1
"""Between two packets of a client, after the first PACKETS_AT_ONCE. A player who bets as fast as is allowed
sends fewer; a flood fills the client's own buffers."""

PACKETS_AT_ONCE = 100

PongCallback = Callable[[str, float], None]
"""Called with a transport's id, and the ``time.monotonic()`` at which the ping was sent that it answered."""


class Transport(engineio.socket.Socket):  # type: ignore[misc]  # the library carries no types
    """The library's connection with bounds on what the library leaves unbounded.

    The library keeps everything that a client does not read, waits in ``close()`` until a client has
    read everything, and starts a greenlet for each next ping, which takes 14 KiB of an idle socket's 68.
    """

    transports: "Transports"
    websocket: Any = None
    """The websocket of gevent-websocket while a request holds it; None while polling, and under threads."""

    is_joining = has_tried_to_join = False

    next_packet_at = 0.0

    ping_sent_at: float | None = None
    """``time.monotonic()`` of the ping that the client has not answered yet."""

    def receive(self, pkt: Packet) -> None:
        """Handle a packet of the client, up to PACKET_SECONDS later if it sends them too fast."""
        if self.transports.paced:
            now = time.monotonic()
            burst_began = now - PACKETS_AT_ONCE * PACKET_SECONDS
            self.next_packet_at = max(self.next_packet_at, burst_began) + PACKET_SECONDS
            if self.next_packet_at > now:
                self.server.sleep(self.next_packet_at - now)
        super().receive(pkt)

    def send(self, pkt: Packet) -> None:
        """Queue a packet; a client with too many unread ones is disconnected instead."""
        if self.closed:
            return
        if self.queue.qsize() < MAX_UNREAD_PACKETS:
            super().send(pkt)
            return
        self.close(abort=True, reason=self.server.reason.TRANSPORT_ERROR)
        self.hang_up()

    def close(self, wait: bool = True, abort: bool = False, reason: str | None = None) -> None:  # noqa: ARG002, FBT001, FBT002  # the library's signature
        """Close without waiting for the client; what it does not read in time is dropped."""
        super().close(wait=False, abort=abort, reason=reason)
        self.server.sockets.pop(self.sid, None)
        if self.websocket is not None:
            self.transports.farewells.add(self)

    def hang_up(self) -> None:
        """Cut the websocket, if there is one, even if something is being written to it."""
        if self.websocket is not None:
            self.websocket.hang_up()

    def poll(self) -> list[Any]:
        """Wait for packets to send to the client; none when the connection is over.

        What waits for a websocket is written at once: a write for each of the five packets that answer a spin
        takes about a tenth more of all that the socket server does for it.
        """
        packets = super().poll()
        if self.websocket is not None and self.upgraded:
            return [Batch(packets)] if len(packets) > 1 else packets
        return [each for packet in packets for each in (packet if isinstance(packet, Batch) else [packet])]

    def schedule_ping(self) -> None:
        """The library calls this when the client has connected, and for each pong."""
        # One that answers no ping is ignored.
        if not self.last_ping:
            return
        self.last_ping = None
        self.transports.pings.add(self.sid)
        sent_at, self.ping_sent_at = self.ping_sent_at, None
        if sent_at is not None:
            for callback in self.transports.on_pong:
                callback(self.sid, sent_at)

    def handle_get_request(self, environ: Mapping[str, Any], start_response: Any) -> Any:
        """Answer a poll, or serve a websocket until it ends."""
        websocket = environ.get("wsgi.websocket")
        if websocket is None:
            return super().handle_get_request(environ, start_response)
        if self.websocket is not None:
            # One upgrade at a time; this ends the second one's connection.
            return []
        self.websocket = websocket
        if self.connected:
            self.transports.upgrades.add((self, websocket))
        try:
            return super().handle_get_request(environ, start_response)
        finally:
            self.websocket = None
            # The library does neither when it fails with an exception.
            self.upgrading = False
            if self.upgraded:
                self.close(abort=True, reason=self.server.reason.TRANSPORT_ERROR)


class Transports:
    """Configures each new transport of a server, and closes those whose clients have stopped."""

    def __init__(self, socketio: SocketIO, *, paced: bool) -> None:
        """``paced``: clients that send packets too fast are read more slowly."""
        self._engine = socketio.server.eio
        self.paced = paced
        self.on_pong: list[PongCallback] = []
        self.pings = Deadlines[str](socketio, seconds=lambda: self._engine.ping_interval, then=self._ping)
        self._pongs = Deadlines[str](
            socketio, seconds=lambda: self._engine.ping_timeout, then=self._close_unless_answered
        )
        self.upgrades = Deadlines[tuple[Transport, Any]](
            socketio, seconds=lambda: UPGRADE_SECONDS, then=_cut_unless_upgraded
        )
        self.farewells = Deadlines[Transport](
            socketio, seconds=lambda: FAREWELL_SECONDS, then=Transport.hang_up
        )

    def adopt(self, transport_id: str) -> None:
        """Make a transport that the library has just created one of these.

        engineio has no parameter for the class of its connections. Its connect handler is called when the
        connection is registered and before anything else happens to it.
        """
        transport = self._engine.sockets[transport_id]
        transport.__class__ = Transport
        transport.transports = self

    def get(self, transport_id: str | None) -> Transport | None:
        """The open transport of this id, if there is one."""
        transport: Transport | None = self._engine.sockets.get(transport_id)
        return transport

    def close(self, transport_id: str | None) -> None:
        """Close a transport, without waiting for its client. Does nothing when it has gone already."""
        transport = self.get(transport_id)
        if transport is not None:
            transport.close(reason=self._engine.reason.SERVER_DISCONNECT)

    def _ping(self, transport_id: str) -> None:
        transport = self.get(transport_id)
        if transport is not None:
            transport.last_ping, transport.ping_sent_at = time.time(), time.monotonic()
            transport.send(Packet(PING))
            self._pongs.add(transport_id)

    def _close_unless_answered(self, transport_id: str) -> None:
        transport = self.get(transport_id)
        if transport is None or transport.ping_sent_at is None:
            return
        # A client that has answered may have been sent the next ping since.
        if time.monotonic() - transport.ping_sent_at >= self._engine.ping_timeout:
            transport.close(reason=self._engine.reason.PING_TIMEOUT)


def _cut_unless_upgraded(upgrade: tuple[Transport, Any]) -> None:
    transport, websocket = upgrade
    if transport.websocket is websocket and not transport.upgraded:
        websocket.hang_up()
