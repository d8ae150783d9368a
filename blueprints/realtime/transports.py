"""One connection below the protocol: what may wait for its client, and how it is kept alive."""

import time
from collections.abc import Mapping
from typing import Any

import engineio.socket
from engineio.packet import PING, Packet
from flask_socketio import SocketIO

from blueprints.realtime.deadlines import Deadlines
from blueprints.realtime.frames import Joined, one_by_one

MAX_WAITING_PACKETS = 500
"""What a client may leave unread: far more than a page that is drawn late ever does."""


class Transport(engineio.socket.Socket):  # type: ignore[misc]  # the library carries no types
    """The library's connection, with a bound on what waits for its client, and without a task for its pings.

    The library keeps whatever a client is sent that reads nothing, for as long as it answers pings, and lets
    each next ping sleep in a greenlet of its own, which is 14 of the 68 KiB that an idle socket took.
    """

    websocket: Any = None
    """The production server's, for as long as this connection is one."""

    def send(self, pkt: Packet) -> None:
        if self.queue.qsize() < MAX_WAITING_PACKETS:
            super().send(pkt)
            return
        self.close(wait=False, abort=True, reason=self.server.reason.TRANSPORT_ERROR)
        if self.websocket is not None:
            # What writes to it waits in the middle of a frame.
            self.websocket.hang_up()

    def poll(self) -> list[Packet]:
        """Wait for what the client is to be sent; none when the connection is over."""
        packets = super().poll()
        if self.websocket is not None and self.upgraded:
            return [Joined(packets)] if packets else []
        return list(one_by_one(packets))

    def schedule_ping(self) -> None:
        """The client has joined, or answered: its next ping is one interval away."""
        if self.last_ping:
            self.last_ping = None
            self.server.pings.add(self.sid)

    def handle_get_request(self, environ: Mapping[str, Any], start_response: Any) -> Any:
        websocket = environ.get("wsgi.websocket")
        if websocket is None:
            return super().handle_get_request(environ, start_response)
        self.websocket = websocket
        try:
            return super().handle_get_request(environ, start_response)
        finally:
            self.websocket = None


# The library's server makes its connections by this name.
engineio.socket.Socket = Transport


def keep_alive(socketio: SocketIO) -> None:
    """Give this server the task that sends its pings."""
    transports = socketio.server.eio

    def ping(sid: str) -> None:
        transport = transports.sockets.get(sid)
        if transport is not None and not transport.closing and not transport.closed:
            transport.last_ping = time.time()
            transport.send(Packet(PING))

    transports.pings = Deadlines(socketio, seconds=lambda: transports.ping_interval, then=ping)
