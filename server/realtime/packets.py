"""What clients send: handshakes, and packets, which are counted and checked before the library parses them.

A client that joins with a valid token is a player, one without a token is a spectator.
"""

from collections.abc import Callable, Mapping
from typing import Any

from flask import request
from flask_socketio import ConnectionRefusedError as Refused
from socketio.packet import ACK, CONNECT, DISCONNECT, EVENT

from models.db import waiting
from models.db.waiting import FifoSemaphore
from server.addresses import Keys, networks
from server.current_services import get_services
from server.logs import clients_log
from server.rate_limiter import EVENT_SECONDS, EVENTS, ClientRateLimiter, NewRateLimiter
from server.realtime.realtime import Connection, Realtime, Received, current_realtime
from server.realtime.transport import NAMESPACE, Transport
from services.accounts import access
from services.shared.background import pause
from services.shared.errors import Refusal, TooManyRequests, Unauthorized, UserNotFound
from settings import Settings

HANDSHAKES_A_MINUTE = 300
"""Handshakes that one client address may begin."""

REFUSED_SECONDS = 0.5
"""How long a client that has sent too many events is not read. A flood then fills the client's own buffers
instead of taking this process's time."""

MAX_HANDSHAKES = 10_000
"""Transports that have not joined, of all clients."""

NOT_PARSED = (ValueError, TypeError, LookupError)
"""What the library raises, which parses packets without checking them first."""

TOO_MANY = "Too many connections"

FAILED = "Something went wrong"

JOINING_AT_ONCE = 4
"""Joining reads the database. When everybody reconnects at once, the others wait."""

JOINING_SECONDS = 40.0
"""How long a client may wait to join: several times what 5,000 clients take that reconnect at once, because a
client that was closed would wait again. Less than ping interval and timeout, because pongs are not read."""


class Handshakes:
    """Admits transports, and lets their clients join the default namespace."""

    def __init__(self, realtime: Realtime, *, per_address: ClientRateLimiter | None) -> None:
        """``per_address`` counts handshakes by address."""
        self._realtime = realtime
        self._server = realtime.server
        self._per_address = per_address
        self._slots = FifoSemaphore(JOINING_AT_ONCE)
        self._accept = self._server.eio.handlers["connect"]
        self._server.eio.on("connect", self._opened)

    def _opened(self, transport_id: str, environ: Mapping[str, Any]) -> Any:
        """Accept a new transport, or refuse it with 401: engineio has no other status for this."""
        # Before the wait for a count of the address in Redis.
        self._realtime.transports.adopt(transport_id)
        # The library has counted this transport already.
        not_joined = len(self._server.eio.sockets) - len(self._realtime.connections)
        if not_joined > MAX_HANDSHAKES:
            return TOO_MANY
        address = environ.get("REMOTE_ADDR", "")
        if self._per_address is not None and self._per_address.hit(networks(address)):
            return TOO_MANY
        return self._accept(transport_id, environ)

    def join(self, transport_id: str, handle: Callable[[], None]) -> None:
        """Wait for a slot and let the library ``handle`` the request to join; or close the transport.

        A transport asks once. After a refusal it is closed in a few seconds, because its client may poll
        for the answer.
        """
        transport = self._realtime.transports.get(transport_id)
        if transport is None:
            return
        if transport.has_asked_to_join:
            self._realtime.transports.close(transport_id)
            return
        transport.must_join_by = None
        transport.has_asked_to_join = True
        try:
            with self._slots.hold(timeout_seconds=JOINING_SECONDS):
                # So that other clients run in between.
                pause()
                if not transport.closed:
                    handle()
        except TimeoutError:
            # The client reconnects by itself; a refusal would end that.
            self._realtime.transports.close(transport_id)
        finally:
            self._check_after_joining(transport)

    def _check_after_joining(self, transport: Transport) -> None:
        sid = self._server.manager.sid_from_eio_sid(transport.sid, NAMESPACE)
        if sid is None:
            # Refused.
            transport.expect_join()
        elif transport.closing:
            # The library forgets only sockets that had joined when their transport closed, and calls the
            # disconnect handler only while the transport is open.
            self._server.manager.disconnect(sid, NAMESPACE)
            self._realtime.forget(sid)
        else:
            self._realtime.joined(sid)


class Packets:
    """Handles each packet by its kind: joining, leaving, an event, or an acknowledgement.

    An event above the rate limit is handled too, and its handler refuses it (``Received.check_rate``): so
    the answer has the shape that the client expects.
    """

    def __init__(self, realtime: Realtime, handshakes: Handshakes, *, rate: ClientRateLimiter | None) -> None:
        """``rate`` limits the events of each player, or of an address without a token."""
        self._realtime = realtime
        self._handshakes = handshakes
        self._rate = rate
        self._handle_in_library = realtime.server.eio.handlers["message"]
        realtime.server.eio.on("message", self._message)

    def _message(self, transport_id: str, data: Any) -> None:
        """Handle a packet, or close a transport that sends a packet of any other kind.

        There are no binary events: after a packet that announces attachments the library would wait for them.
        """
        kind = int(data[0]) if isinstance(data, str) and data[:1] in "0123456789" and data else None
        if kind == EVENT:
            if self._rate is None or not self._rate.hit(self._client(transport_id)):
                self._realtime.in_background(self._event, transport_id, data, True)
            else:
                # Its handler refuses it, which waits for nothing.
                self._event(transport_id, data, allowed=False)
                self._realtime.socketio.sleep(REFUSED_SECONDS)
        elif kind == CONNECT:
            self._handshakes.join(transport_id, lambda: self._handle(transport_id, data))
        elif kind == ACK:
            self._handle(transport_id, data)
        else:
            if kind == DISCONNECT:
                self._handle(transport_id, data)
            # Without a namespace the transport would stay open and not be counted.
            self._realtime.transports.close(transport_id)

    def _client(self, transport_id: str) -> Keys:
        """The id of the player who sent an event; the address when there is no valid token."""
        sid = self._realtime.manager.sid_from_eio_sid(transport_id, NAMESPACE)
        user_id = self._realtime.connections.player_of(sid)
        if user_id is not None:
            return [(user_id, 1)]
        environ = self._realtime.server.environ.get(transport_id, {})
        return networks(environ.get("REMOTE_ADDR", ""))

    def _event(self, transport_id: str, data: str, allowed: bool) -> None:  # noqa: FBT001  # of a background task
        """Call the event's handler.

        The library's own way makes a request context for each event, and sends the acknowledgement itself, so
        that it would be a write of its own and nothing could be sent with it.
        """
        try:
            packet = self._realtime.server.packet_class(encoded_packet=data)
            name, payload = packet.data[0], packet.data[1] if len(packet.data) > 1 else None
            handle = self._realtime.handlers.get(name, self._refuse_unknown)
        except NOT_PARSED:
            self._refuse_packet(transport_id)
            return
        sid = self._realtime.manager.sid_from_eio_sid(transport_id, packet.namespace or NAMESPACE)
        if self._realtime.manager.is_connected(sid, NAMESPACE):
            handle(Received(sid, payload, allowed, packet.id))

    def _refuse_unknown(self, event: Received) -> None:
        """Answer an event that the server does not know in the shape of a refused bet.

        Otherwise a client would wait for the acknowledgement of a misspelt event until it gives up.
        """
        text = "Unknown event" if event.is_allowed else TooManyRequests.text
        self._realtime.send(event.sid, event.acknowledgement({"status": False, "error": text}))

    def _handle(self, transport_id: str, data: str) -> None:
        try:
            self._handle_in_library(transport_id, data)
        except NOT_PARSED:
            self._refuse_packet(transport_id)

    def _refuse_packet(self, transport_id: str) -> None:
        """Close a transport whose packet can't be parsed.

        It can't be answered: the packet contains the event's name and the id of the acknowledgement.
        """
        clients_log.warning("packet refused", exc_info=True)
        self._realtime.transports.close(transport_id)


def handle_packets(realtime: Realtime, settings: Settings, new_rate_limiter: NewRateLimiter) -> None:
    """Handle what this server's clients send. sockets/wiring.py has the handlers of the players' events."""
    per_address = rate = None
    if settings.ratelimit_enabled:
        per_address = ClientRateLimiter(new_rate_limiter, "handshake", most=HANDSHAKES_A_MINUTE, seconds=60)
        rate = ClientRateLimiter(new_rate_limiter, "event", most=EVENTS, seconds=EVENT_SECONDS)
    Packets(realtime, Handshakes(realtime, per_address=per_address), rate=rate)
    realtime.socketio.on_event("connect", connect)
    realtime.socketio.on_event("disconnect", disconnect)


def connect(auth: object = None) -> None:
    """Accept a socket, or refuse it with ``connect_error`` and the reason as its message.

    While the database is unavailable the transport is closed instead: then the client reconnects by itself
    until the database is back. A refusal would end that.
    """
    sid = request.sid  # type: ignore[attr-defined]
    try:
        with waiting.limit_waits():
            connection = _connection(sid, auth)
        current_realtime().connections.add(connection)
    except Refusal as refusal:
        raise Refused(refusal.text) from None
    except Exception:  # noqa: BLE001  # as the docstring says
        clients_log.exception("connect failed")
        transport_id = current_realtime().manager.eio_sid_from_sid(sid, NAMESPACE)
        current_realtime().transports.close(transport_id)
        raise Refused(FAILED) from None


def disconnect(_reason: str | None = None) -> None:
    """Forget a socket."""
    current_realtime().forget(request.sid)  # type: ignore[attr-defined]


def _connection(sid: str, auth: object) -> Connection:
    token = auth.get("token") if isinstance(auth, dict) else None
    address = request.remote_addr or ""
    if token is None or token == "":
        return Connection(sid, address=address)
    services = get_services()
    claims = services.tokens.check(token, now=services.clock())
    try:
        user = access.player_of(claims)
    except UserNotFound:
        raise Unauthorized from None
    return Connection(
        sid, user.id, address=address, expires_at=claims.expires_at, token_number=claims.token_number
    )
