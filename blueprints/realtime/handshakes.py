"""How connections begin: never too many, a few at a time, and closed when they open and then say nothing."""

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from flask_socketio import SocketIO
from socketio.packet import CONNECT

from blueprints.common.failures import describe
from models.fair_slots import FairSlots

log = logging.getLogger("platform.realtime")

NAMESPACE = "/"

MAX_HANDSHAKES = 10_000
"""Begun in one handshake's time, by websocket or polling, which needs no connection that stays."""

TOO_MANY = "Too many connections"

JOINING_AT_ONCE = 4
"""Each asks the database. When everybody comes back at once, the others wait and are in nobody's way."""

JOINING_SECONDS = 40.0
"""Several times what 5,000 at once take: who is sent away after waiting comes again, and costs as much. Less
than a ping may be without its answer, which is not read meanwhile."""


class _Opened:
    """The transports opened in the time of a handshake, and the task that closes the silent ones."""

    def __init__(self, socketio: SocketIO, *, seconds: float) -> None:
        self._socketio = socketio
        self._server = socketio.server
        self._seconds = seconds
        # Deadlines come in order, so the first one is always the next one.
        self._deadlines: deque[tuple[float, str]] = deque()
        self._guard = threading.Lock()
        self.joining: set[str] = set()
        """Those that have asked to join, and wait for their turn."""

    def add(self, transport: str) -> bool:
        """Whether there is room for one more."""
        with self._guard:
            if len(self._deadlines) >= MAX_HANDSHAKES:
                return False
            self._deadlines.append((time.monotonic() + self._seconds, transport))
            begins = len(self._deadlines) == 1
        if begins:
            self._socketio.start_background_task(self._sweep)
        return True

    def _sweep(self) -> None:
        more = True
        while more:
            deadline, transport = self._deadlines[0]
            self._socketio.sleep(max(deadline - time.monotonic(), 0))
            try:
                self._close_unless_joined(transport)
            except Exception as failure:  # noqa: BLE001  # one transport's; the others' time goes on
                log.warning("sweep failed", extra={"failure": describe(failure)})
            with self._guard:
                self._deadlines.popleft()
                more = bool(self._deadlines)

    def _close_unless_joined(self, transport: str) -> None:
        has_joined = self._server.manager.sid_from_eio_sid(transport, NAMESPACE) or transport in self.joining
        if transport in self._server.eio.sockets and not has_joined:
            self._server.eio.disconnect(transport)


def limit_handshakes(socketio: SocketIO, *, after_seconds: float) -> None:
    """Close every transport that has not asked to join the default namespace in this time.

    While 10,000 have been opened in this time no other is: its client gets 401, and tries again later.
    """
    server = socketio.server
    accept, handle = server.eio.handlers["connect"], server.eio.handlers["message"]
    opened_lately = _Opened(socketio, seconds=after_seconds)
    slots = FairSlots(JOINING_AT_ONCE)

    def opened(transport: str, environ: Mapping[str, Any]) -> Any:
        return accept(transport, environ) if opened_lately.add(transport) else TOO_MANY

    def message(transport: str, data: Any) -> None:
        if not isinstance(data, str) or not data.startswith(str(CONNECT)):
            handle(transport, data)
            return
        opened_lately.joining.add(transport)
        try:
            with slots.hold(timeout_seconds=JOINING_SECONDS):
                # Long enough for the network to be looked at: others come in between.
                socketio.sleep(0.001)
                handle(transport, data)
        except TimeoutError:
            # Its client reconnects by itself, which a refusal would end.
            server.eio.disconnect(transport)
        finally:
            opened_lately.joining.discard(transport)

    server.eio.on("connect", opened)
    server.eio.on("message", message)
