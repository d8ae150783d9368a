"""The Socket.IO server of an app, and what runs beside its requests."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

import socketio
from engineio.exceptions import SocketIsClosedError
from flask import Flask, current_app
from flask_socketio import SocketIO
from gevent import monkey

from blueprints.common.failures import describe
from blueprints.realtime.connections import Connections
from blueprints.realtime.frames import Bundle, bundles
from blueprints.realtime.handshakes import NAMESPACE, Handshakes
from blueprints.realtime.packets import refuse_foreign_packets
from blueprints.realtime.replies import Event, Server, message_of
from blueprints.realtime.transport import Transports
from models import patience
from services import exact_json
from services.background import pause
from services.rate import Rate
from settings import Settings

log = logging.getLogger("platform.realtime")

EXTENSION = "realtime"
MAX_MESSAGE_BYTES = 64 * 1024
HANDSHAKE_SECONDS = 10

SOCKETS_AT_ONCE = 250
"""So many are sent something before others may run: 2 ms, where 5,000 in one go took 30."""


class Manager(socketio.Manager):  # type: ignore[misc]
    """Tells when a socket's acceptance is on its way; before that nothing may be sent to it.

    There are no rooms but those that the library makes: one of all sockets, and one for each alone.
    """

    accepted: Callable[[str], None]
    acknowledged: Callable[[str, int], None]

    def trigger_callback(self, sid: str, id: int, _data: Any) -> None:  # noqa: A002  # the library's name
        """Report an acknowledgement by its id.

        The library keeps a callback for each event until it is acknowledged. Most clients never do that.
        """
        self.acknowledged(sid, id)

    def connect(self, sid: str, namespace: str) -> Any:
        accepted = super().connect(sid, namespace)
        self.accepted(sid)
        return accepted

    def basic_disconnect(self, sid: str, namespace: str, **_ignored: Any) -> None:
        """Forget a socket. The library looks for it in the rooms of all others: 1 ms of 5,000 sockets."""
        for room in (sid, None):
            self.basic_leave_room(sid, namespace, room)
        self.callbacks.pop(sid, None)
        for pending in (self.pending_connect, self.pending_disconnect):
            if sid in pending.get(namespace, ()):
                pending[namespace].remove(sid)
                if not pending[namespace]:
                    del pending[namespace]


class Tasks:
    """How many background tasks are under way: what an orderly end waits for."""

    def __init__(self) -> None:
        self._running = 0
        self._guard = threading.Lock()

    def begin(self) -> None:
        with self._guard:
            self._running += 1

    def end(self) -> None:
        with self._guard:
            self._running -= 1

    def __len__(self) -> int:
        return self._running


@dataclass(frozen=True)
class Realtime:
    """The real-time side of one app."""

    socketio: SocketIO
    transports: Transports
    connections: Connections
    tasks: Tasks = field(default_factory=Tasks)
    at_start: list[Callable[[], None]] = field(default_factory=list)
    before_close: list[Callable[[], None]] = field(default_factory=list)

    @property
    def server(self) -> Server:
        return cast("Server", self.socketio.server)

    @property
    def manager(self) -> Manager:
        return cast("Manager", self.server.manager)

    def has_transport(self, sid: str) -> bool:
        """Whether the connection below the protocol is still there."""
        return self.transports.get(self.manager.eio_sid_from_sid(sid, NAMESPACE)) is not None

    def send_with_ack(self, sid: str, event: Event, *, ack_id: int) -> None:
        """Send an event that the client may acknowledge; ``manager.acknowledged`` is called with this id."""
        self._send([sid], Bundle([message_of(event, ack_id=ack_id)]))

    def send(self, sids: Sequence[str], events: Sequence[Event]) -> None:
        """Send events to these sockets, each of which gets them in one write; to none that has gone."""
        if sids:
            self._send(sids, Bundle([message_of(event) for event in events]))

    def broadcast(self, events: Sequence[Event]) -> None:
        """Send everybody events, to some sockets at a time, and let others run in between."""
        for bundle in bundles([message_of(event) for event in events]):
            sids = self.connections.sids()
            for first in range(0, len(sids), SOCKETS_AT_ONCE):
                self._send(sids[first : first + SOCKETS_AT_ONCE], bundle)
                pause()

    def _send(self, sids: Sequence[str], bundle: Bundle) -> None:
        for sid in sids:
            transport = self.manager.eio_sid_from_sid(sid, NAMESPACE)
            if transport is not None:
                # One that ends at this moment is told nothing.
                with suppress(SocketIsClosedError):
                    self.server.eio.send_packet(transport, bundle)

    def close_transport(self, sid: str) -> None:
        """End the connection below the protocol, as a broken network would. Does not wait for the client."""
        self.transports.close(self.manager.eio_sid_from_sid(sid, NAMESPACE))

    def on_pong(self, callback: Callable[[str, float], None]) -> None:
        """Call ``callback(sid, sent_at)`` whenever a joined socket answers a ping. It must not block.

        ``sent_at`` is the ``time.monotonic()`` at which that ping was sent: everything that was sent to the
        socket before then has reached its client, because a transport keeps the order.
        """

        def answered(transport_id: str, sent_at: float) -> None:
            sid = self.manager.sid_from_eio_sid(transport_id, NAMESPACE)
            if sid is not None:
                callback(sid, sent_at)

        self.transports.on_pong.append(answered)

    def start(self) -> None:
        """Begin what runs in the background from the first moment, requests or not."""
        for start in self.at_start:
            start()

    def close(self) -> None:
        """Let all sockets go and stop what runs in the background. Spins that have begun end on their own."""
        for stop in self.before_close:
            stop()
        for transport_id in list(self.server.eio.sockets):
            self.transports.close(transport_id)


def create_realtime(
    app: Flask, settings: Settings, *, timer: Callable[[], float] = time.monotonic
) -> Realtime:
    """The real-time side of this app: on greenlets where the process is patched for them, else on threads.

    ``timer`` counts the seconds of the rate limits.
    """
    socketio = SocketIO()
    socketio.init_app(
        app,
        client_manager=Manager(),
        async_mode="gevent" if monkey.is_module_patched("socket") else "threading",
        cors_allowed_origins=list(settings.allowed_origins),
        max_http_buffer_size=MAX_MESSAGE_BYTES,
        json=exact_json,
        manage_session=False,
        # Transports finds silent clients itself, within the time of a ping and its answer.
        monitor_clients=False,
        logger=_quiet_logger("socketio"),
        engineio_logger=_quiet_logger("engineio"),
    )
    limited = settings.ratelimit_enabled
    transports = Transports(socketio)
    Handshakes(
        socketio,
        transports,
        seconds=HANDSHAKE_SECONDS,
        per_address=Rate(most=settings.address_handshakes_per_minute, seconds=60, timer=timer)
        if limited
        else None,
    )
    refuse_foreign_packets(socketio, transports)
    connections = Connections(per_address=settings.address_max_sockets if limited else None)
    return Realtime(socketio, transports, connections)


def _quiet_logger(name: str) -> logging.Logger:
    """Only errors: below that the libraries log whole packets, tokens and all."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.ERROR)
    return logger


def install_realtime(app: Flask, realtime: Realtime) -> None:
    app.extensions[EXTENSION] = realtime


def realtime() -> Realtime:
    """The real-time side of the running app."""
    return cast("Realtime", current_app.extensions[EXTENSION])


def in_background(task: Callable[..., Any], *args: Any) -> None:
    """Run a task beside the requests, within this app."""
    app = cast("Any", current_app)._get_current_object()  # noqa: SLF001  # Flask's documented way to pass an app on
    running = realtime()

    def run() -> None:
        try:
            with app.app_context(), patience.one_answer():
                task(*args)
        except Exception as failure:  # noqa: BLE001  # nobody is left to tell; the library would print it all
            log.error("task failed", extra={"failure": describe(failure)})  # noqa: TRY400
        finally:
            running.tasks.end()

    running.tasks.begin()
    running.socketio.start_background_task(run)
