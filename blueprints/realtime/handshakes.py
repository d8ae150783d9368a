"""Connections that open and then say nothing: closed, so that they can't pile up."""

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from flask_socketio import SocketIO

NAMESPACE = "/"


def close_silent_handshakes(socketio: SocketIO, *, after_seconds: float) -> None:
    """Close every transport that has not joined the default namespace in this time."""
    server = socketio.server
    accept = server.eio.handlers["connect"]
    waiting: deque[tuple[float, str]] = deque()

    def sweep() -> None:
        # Deadlines come in order, so the first one is always the next one; ends when none is left.
        while waiting:
            deadline, transport = waiting[0]
            socketio.sleep(max(deadline - time.monotonic(), 0))
            waiting.popleft()
            if transport in server.eio.sockets and not server.manager.sid_from_eio_sid(transport, NAMESPACE):
                server.eio.disconnect(transport)

    def opened(transport: str, environ: Mapping[str, Any]) -> Any:
        waiting.append((time.monotonic() + after_seconds, transport))
        if len(waiting) == 1:
            socketio.start_background_task(sweep)
        return accept(transport, environ)

    server.eio.on("connect", opened)
