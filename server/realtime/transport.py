"""The connection below the Socket.IO protocol: its batches, its unread messages, its pings and its end."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import engineio.socket
import gevent
import socketio
from engineio.packet import MESSAGE, PING, Packet
from engineio.payload import Payload
from geventwebsocket.websocket import Header, WebSocket

from services.shared.background import in_slices

log = logging.getLogger("platform.realtime")

NAMESPACE = "/"

MAX_UNREAD_PACKETS = 500
"""The most packets that wait for a client: far more than a slow page ever leaves unread."""

ENTRIES_IN_A_WRITE = 10
"""Entries of the queue in one write of 12 us; a bet has one. A slow client has limited time for each."""

CHECKED_AT_ONCE = 50
"""Transports between two pauses: with 4,000 sockets the library takes 2 ms to forget one."""

HANDSHAKE_SECONDS = 10.0
"""How long a client may take to join."""

UPGRADE_SECONDS = 10.0
"""How long a polling client may take to replace polling by the websocket that it has opened."""

CLOSE_SECONDS = 3.0
"""How long a client may take to read what was sent before its transport was closed."""

PACKET_SECONDS = 0.1
"""Time between two packets of a client, after the first PACKETS_AT_ONCE. A player who bets as fast as is
allowed sends fewer; a flood fills the client's own buffers."""

PACKETS_AT_ONCE = 100

# The library drops a POST with more packets, and answers it with 200. Its default is 16.
Payload.max_decode_packets = PACKETS_AT_ONCE


class Frames(bytes):
    """Complete websocket frames, written without further encoding."""


class Batch:
    """Several Engine.IO packets that are one entry of a transport's queue, or are written together.

    It has the attributes of a packet that the library uses.
    """

    packet_type = MESSAGE
    data = None

    def __init__(self, packets: "Sequence[Packet | Batch]") -> None:
        self._packets = packets
        self._frames: Frames | None = None

    def __iter__(self) -> "Iterator[Packet | Batch]":
        return iter(self._packets)

    def encode(self) -> Frames:
        """The packets as the frames that a websocket sends, encoded once for all receivers."""
        if self._frames is None:
            self._frames = Frames(b"".join(map(_frames, self._packets)))
        return self._frames


def _frames(packet: Packet | Batch) -> bytes:
    encoded: str | Frames = packet.encode()
    if isinstance(encoded, Frames):
        return encoded
    text = encoded.encode()
    return bytes(Header.encode_header(True, WebSocket.OPCODE_TEXT, b"", len(text), 0)) + text


class Transport(engineio.socket.Socket):  # type: ignore[misc]  # the library carries no types
    """The library's connection with bounds on what the library leaves unbounded.

    The library keeps everything that a client does not read, waits in ``close()`` until a client has
    read everything, and starts a greenlet for each next ping, which takes 14 KiB of an idle socket's 68.
    Times are of ``time.monotonic()``.
    """

    transports: "Transports"
    websocket: Any = None
    """The websocket of gevent-websocket while a request holds it; None while polling, and under threads."""

    must_join_by: float | None = None
    """None while the client is joining, and when it has joined."""

    has_asked_to_join = False

    next_packet_at = 0.0

    next_ping_at: float | None = None
    """None until the client has answered the last ping."""

    ping_sent_at: float | None = None
    """When the ping was sent that the client has not answered yet."""

    def expect_join(self) -> None:
        """Give the client HANDSHAKE_SECONDS from now to join."""
        self.must_join_by = time.monotonic() + HANDSHAKE_SECONDS

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
            gevent.spawn_later(CLOSE_SECONDS, self.hang_up)

    def hang_up(self) -> None:
        """Cut the websocket, if there is one, even if something is being written to it."""
        if self.websocket is not None:
            self.websocket.hang_up()

    def poll(self) -> list[Any]:
        """Wait for packets to send to the client; returns none when the connection is over."""
        if self.websocket is not None and self.upgraded:
            packets = self._queued()
            starts = range(0, len(packets), ENTRIES_IN_A_WRITE)
            return [Batch(packets[start : start + ENTRIES_IN_A_WRITE]) for start in starts]
        packets = super().poll()
        return [each for packet in packets for each in (packet if isinstance(packet, Batch) else [packet])]

    def _queued(self) -> list[Any]:
        """Wait for an entry of the queue, and take all that it has.

        The library makes a timer for each wait. Here a ping comes, or the end, which is None.
        """
        packets = []
        entry = self.queue.get()
        while entry is not None:
            packets.append(entry)
            if self.queue.empty():
                return packets
            entry = self.queue.get()
        if packets:
            # For the next call.
            self.queue.put(None)
        return packets

    def schedule_ping(self) -> None:
        """The library calls this when the client has connected, and for each pong."""
        if self.next_ping_at is not None:
            # A pong that answers no ping.
            return
        # With a time here, the library would close the transport on its own.
        self.last_ping = None
        self.next_ping_at = time.monotonic() + self.server.ping_interval
        sent_at, self.ping_sent_at = self.ping_sent_at, None
        sid = self.transports.manager.sid_from_eio_sid(self.sid, NAMESPACE)
        if sent_at is not None and sid is not None:
            for answered in self.transports.on_pong:
                answered(sid, sent_at)

    def check_deadlines(self) -> None:
        """Send a ping that is due; close the transport if its client has not joined or answered in time."""
        now = time.monotonic()
        if self.must_join_by is not None and now >= self.must_join_by:
            self.close(reason=self.server.reason.SERVER_DISCONNECT)
        elif self.next_ping_at is not None:
            if now >= self.next_ping_at:
                self.next_ping_at, self.ping_sent_at = None, now
                self.send(Packet(PING))
        elif self.ping_sent_at is not None and now - self.ping_sent_at >= self.server.ping_timeout:
            self.close(reason=self.server.reason.PING_TIMEOUT)

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
            gevent.spawn_later(UPGRADE_SECONDS, self._cut_unless_upgraded, websocket)
        try:
            return super().handle_get_request(environ, start_response)
        finally:
            self.websocket = None
            # The library does neither when it fails with an exception.
            self.upgrading = False
            if self.upgraded:
                self.close(abort=True, reason=self.server.reason.TRANSPORT_ERROR)

    def _cut_unless_upgraded(self, websocket: Any) -> None:
        if self.websocket is websocket and not self.upgraded:
            websocket.hang_up()


class Manager(socketio.Manager):  # type: ignore[misc]  # the library carries no types
    """The library's manager, with less work for a disconnect."""

    def basic_disconnect(self, sid: str, namespace: str) -> None:
        """Forget a socket without searching the rooms of all others.

        The only rooms here are those that the library makes: one of all sockets, and one for each alone. When
        4,200 sockets ended at once, the library's method took 12.6 s of CPU, and this one 3.5.
        """
        for room in (sid, None):
            self.basic_leave_room(sid, namespace, room)
        self.callbacks.pop(sid, None)
        for pending in (self.pending_connect, self.pending_disconnect):
            if sid in pending.get(namespace, ()):
                pending[namespace].remove(sid)
                if not pending[namespace]:
                    del pending[namespace]


class Transports:
    """Configures each new transport of a server, and closes those whose clients have stopped."""

    def __init__(self, server: Any, *, paced: bool) -> None:
        """``paced``: clients that send packets too fast are read more slowly."""
        self.manager = server.manager
        self._engine = server.eio
        self.paced = paced
        self.on_pong: list[Callable[[str, float], None]] = []
        """Called with ``(sid, sent_at)`` when a joined socket answers a ping. They must not block.

        ``sent_at`` is the ``time.monotonic()`` at which that ping was sent: everything that was sent to the
        socket before then has reached its client, because a transport keeps the order.
        """

    def adopt(self, transport_id: str) -> None:
        """Make a transport that the library has just created one of these.

        The library's connect handler calls this when the connection is registered, before its client is read.
        engineio has no parameter or factory for the class. It constructs ``socket.Socket`` within
        ``Server._handle_connect`` and keeps that object: a server class would copy this private method, a
        ``Server.sockets`` of our own would hold another object, and another name in engineio's module would
        change all servers of the process.
        """
        transport = self._engine.sockets[transport_id]
        transport.__class__ = Transport
        transport.transports = self
        transport.expect_join()

    def get(self, transport_id: str | None) -> Transport | None:
        """The open transport of this id, if there is one."""
        transport: Transport | None = self._engine.sockets.get(transport_id)
        return transport

    def close(self, transport_id: str | None) -> None:
        """Close a transport, without waiting for its client. Does nothing when it has gone already."""
        transport = self.get(transport_id)
        if transport is not None:
            transport.close(reason=self._engine.reason.SERVER_DISCONNECT)

    def check_deadlines(self) -> None:
        """Check those of all transports. A task for each client would be most of its memory."""
        for transport in in_slices(list(self._engine.sockets.values()), CHECKED_AT_ONCE):
            try:
                transport.check_deadlines()
            except Exception:  # the others are checked all the same
                log.warning("deadline failed", exc_info=True)
