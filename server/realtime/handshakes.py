"""Limits the number of handshakes, and lets a few clients join at a time."""

from collections.abc import Callable, Mapping
from typing import Any

from models.db.waiting import FifoSemaphore
from server.addresses import networks
from server.rate_limiter import ClientRateLimiter
from server.realtime.realtime import Realtime
from server.realtime.transport import NAMESPACE, Transport
from services.shared.background import pause

MAX_HANDSHAKES = 10_000
"""Transports that have not joined, of all clients."""

TOO_MANY = "Too many connections"

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
