"""How connections begin: a bounded number, a few joining at a time, and closed when they do not join."""

from collections.abc import Callable, Mapping
from typing import Any

from flask_socketio import SocketIO

from blueprints.realtime.deadlines import Deadlines
from blueprints.realtime.transport import Transport, Transports
from models.fifo_semaphore import FifoSemaphore
from services.rate import Rate

NAMESPACE = "/"

MAX_HANDSHAKES = 10_000
"""Begun in one handshake's time by all clients, over websocket or polling."""

TOO_MANY = "Too many connections"

JOINING_AT_ONCE = 4
"""Joining reads the database. When everybody reconnects at once, the others wait for their turn."""

JOINING_SECONDS = 40.0
"""Several times what 5,000 clients take that reconnect at once: a client that is sent away comes again and
costs as much. Less than the time within which a client must answer a ping, which is not read meanwhile."""


class Handshakes:
    """Admits transports, and closes those that have not joined the default namespace in time."""

    def __init__(
        self, socketio: SocketIO, transports: Transports, *, seconds: float, per_address: Rate | None
    ) -> None:
        """``seconds`` from opening a transport to joining; ``per_address`` counts handshakes by address."""
        self._socketio = socketio
        self._server = socketio.server
        self._transports = transports
        self._per_address = per_address
        self._deadlines = Deadlines[str](socketio, seconds=lambda: seconds, then=self._close_unless_joined)
        self.on_joined: list[Callable[[str], None]] = []
        """Called with the id of each socket whose acceptance is on its way to the client."""
        self.on_abandoned: list[Callable[[str], None]] = []
        """Called with the id of each socket whose transport closed while it was joining."""
        self.joining = 0
        """Clients that are being let in now."""
        self._slots = FifoSemaphore(JOINING_AT_ONCE)
        self._accept = self._server.eio.handlers["connect"]
        self._server.eio.on("connect", self._opened)

    @property
    def begun(self) -> int:
        """Transports whose time to join has not passed."""
        return len(self._deadlines)

    def _opened(self, transport_id: str, environ: Mapping[str, Any]) -> Any:
        """Accept a new transport, or refuse it with 401: engineio has no other status for this."""
        if not self._may_begin(environ) or not self._deadlines.add(transport_id, at_most=MAX_HANDSHAKES):
            return TOO_MANY
        self._transports.adopt(transport_id)
        return self._accept(transport_id, environ)

    def _may_begin(self, environ: Mapping[str, Any]) -> bool:
        return self._per_address is None or not self._per_address.spend(environ.get("REMOTE_ADDR"))

    def join(self, transport_id: str, handle: Callable[[], None]) -> None:
        """Wait for a turn and let the library ``handle`` the request to join; or close the transport.

        A transport joins once. After a refusal it may try again until its deadline.
        """
        transport = self._transports.get(transport_id)
        if transport is None:
            return
        if transport.is_joining or self._has_joined(transport_id) or not self._may_join(transport):
            self._transports.close(transport_id)
            return
        transport.is_joining = transport.has_tried_to_join = True
        try:
            with self._slots.hold(timeout_seconds=JOINING_SECONDS):
                # Long enough for the hub to look at the network, so that other clients run in between.
                self._socketio.sleep(0.001)
                self.joining += 1
                try:
                    if not transport.closed:
                        handle()
                finally:
                    self.joining -= 1
        except TimeoutError:
            # The client reconnects by itself; a refusal would end that.
            self._transports.close(transport_id)
        finally:
            transport.is_joining = False
            self._check_after_joining(transport)

    def _check_after_joining(self, transport: Transport) -> None:
        sid = self._server.manager.sid_from_eio_sid(transport.sid, NAMESPACE)
        if sid is None:
            # Refused. Its first deadline may have passed while it was joining.
            self._deadlines.add(transport.sid)
        elif transport.closing:
            # The library forgets only sockets that had joined when their transport closed, and calls the
            # disconnect handler only while the transport is open.
            self._server.manager.disconnect(sid, NAMESPACE, ignore_queue=True)
            for abandoned in self.on_abandoned:
                abandoned(sid)
        else:
            for joined in self.on_joined:
                joined(sid)

    def _may_join(self, transport: Transport) -> bool:
        """A second attempt on one transport counts as one more handshake of its address."""
        return not transport.has_tried_to_join or self._may_begin(self._server.environ[transport.sid])

    def _has_joined(self, transport_id: str) -> bool:
        return self._server.manager.sid_from_eio_sid(transport_id, NAMESPACE) is not None

    def _close_unless_joined(self, transport_id: str) -> None:
        transport = self._transports.get(transport_id)
        if transport is not None and not transport.is_joining and not self._has_joined(transport_id):
            transport.close(reason=self._server.reason.SERVER_DISCONNECT)
