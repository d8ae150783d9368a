"""How connections begin: never too many, a few at a time, and closed when they open and then say nothing."""

from collections.abc import Mapping
from typing import Any

from flask_socketio import SocketIO
from socketio.packet import CONNECT

from blueprints.realtime.deadlines import Deadlines
from models.fair_slots import FairSlots

NAMESPACE = "/"

MAX_HANDSHAKES = 10_000
"""Begun in one handshake's time, by websocket or polling, which needs no connection that stays."""

TOO_MANY = "Too many connections"

JOINING_AT_ONCE = 4
"""Each asks the database. When everybody comes back at once, the others wait and are in nobody's way."""

JOINING_SECONDS = 40.0
"""Several times what 5,000 at once take: who is sent away after waiting comes again, and costs as much. Less
than a ping may be without its answer, which is not read meanwhile."""


def limit_handshakes(socketio: SocketIO, *, after_seconds: float) -> None:
    """Close every transport that has not asked to join the default namespace in this time.

    While 10,000 have been opened in this time no other is: its client gets 401, and tries again later.
    """
    server = socketio.server
    accept, handle = server.eio.handlers["connect"], server.eio.handlers["message"]
    joining: set[str] = set()
    """Those that have asked to join, and wait for their turn."""

    def close_unless_joined(transport: str) -> None:
        has_joined = server.manager.sid_from_eio_sid(transport, NAMESPACE) or transport in joining
        if transport in server.eio.sockets and not has_joined:
            server.eio.disconnect(transport)

    opened_lately = Deadlines(socketio, seconds=lambda: after_seconds, then=close_unless_joined)
    slots = FairSlots(JOINING_AT_ONCE)

    def opened(transport: str, environ: Mapping[str, Any]) -> Any:
        return accept(transport, environ) if opened_lately.add(transport, most=MAX_HANDSHAKES) else TOO_MANY

    def message(transport: str, data: Any) -> None:
        if not isinstance(data, str) or not data.startswith(str(CONNECT)):
            handle(transport, data)
            return
        joining.add(transport)
        try:
            with slots.hold(timeout_seconds=JOINING_SECONDS):
                # Long enough for the network to be looked at: others come in between.
                socketio.sleep(0.001)
                handle(transport, data)
        except TimeoutError:
            # Its client reconnects by itself, which a refusal would end.
            server.eio.disconnect(transport)
        finally:
            joining.discard(transport)

    server.eio.on("connect", opened)
    server.eio.on("message", message)
