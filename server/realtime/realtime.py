"""The Socket.IO server of an app, and its background tasks."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, cast

import socketio
from engineio.packet import MESSAGE, Packet
from flask import Flask, current_app
from flask_socketio import SocketIO
from gevent import monkey
from socketio.packet import EVENT

from models.db import waiting
from models.db.connection import UNAVAILABLE, reading
from server.logs import clients_log
from server.realtime.connections import Connections
from server.realtime.repeated_task import RepeatedTask
from server.realtime.transport import NAMESPACE, Batch, Transports
from services.shared import decimal_json
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from settings import Settings

log = logging.getLogger("platform.realtime")

MAX_MESSAGE_BYTES = 64 * 1024
SOCKETS_OF_ADDRESS = 1_000
"""Open sockets that one client address may have in a process."""

EVENTS_IN_A_BATCH = 50
"""A batch counts as one message of the 500 that a client may leave unread."""

SOCKETS_AT_ONCE = 250
"""Receivers of a broadcast between two pauses: 2 ms, where 5,000 in one go took 30."""

Event = tuple[str, Any]
"""An event's name and its payload."""


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


class Realtime:
    """The real-time side of one app: on greenlets if gevent has patched the process, else on threads."""

    def __init__(self, app: Flask, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        """``clock`` tells when tokens expire."""
        self.app = app
        self.socketio = SocketIO(
            app,
            client_manager=Manager(),
            async_mode="gevent" if monkey.is_module_patched("socket") else "threading",
            # ``Packets`` starts the task of an event itself, to send more after the acknowledgement.
            async_handlers=False,
            # ``Transports`` closes silent clients itself, within the time of a ping and its answer.
            monitor_clients=False,
            cors_allowed_origins=list(settings.allowed_origins),
            max_http_buffer_size=MAX_MESSAGE_BYTES,
            json=decimal_json,
            manage_session=False,
            logger=_quiet_logger("socketio"),
            engineio_logger=_quiet_logger("engineio"),
        )
        # Without types, which python-socketio lacks.
        self.server: Any = self.socketio.server
        # Logged already, as the library sees it: these lines have the ids of transports, which are secrets.
        self.server.eio.log_message_keys |= {"bad-sid", "bad-transport", "not-connected", "unexpected-http"}
        self.manager: Any = self.server.manager
        limited = settings.ratelimit_enabled
        self.transports = Transports(self.server, paced=limited)
        self.connections = Connections(per_address=SOCKETS_OF_ADDRESS if limited else None, clock=clock)
        self.in_flight: set[object] = set()
        """One object for each event and background task that is running; a stop waits for them."""
        self.tasks: list[RepeatedTask] = []
        """Started in this order, and stopped in reverse order."""
        # sockets/wiring.py says what is in these lists.
        self.at_start: list[Callable[[], None]] = []
        self.on_joined: list[Callable[[str], None]] = []
        """Called one after the other with the id of each socket that was just accepted, until it has gone."""
        self.on_left: list[Callable[[str], None]] = []
        """Called with the id of each socket that has gone, or has become a spectator."""
        self.at_stop: list[Callable[[], None]] = []

    def send(self, sid: str, events: Sequence[Event]) -> None:
        """Send events to a socket, in order and as one batch. A socket that has disconnected is skipped."""
        if events:
            self._queue(sid, Batch([self._packet(*event) for event in events]))

    def broadcast(self, events: Sequence[Event]) -> None:
        """Send events to everybody in batches, with pauses for other tasks.

        The library's emit takes 230 to 330 us for an event to 20 sockets, with a write of its own to each.
        A batch of 50 live bets takes 20 to 30 us for each of them.
        """
        for start in range(0, len(events), EVENTS_IN_A_BATCH):
            some = events[start : start + EVENTS_IN_A_BATCH]
            batch = Batch([self._packet(*event) for event in some])
            for sid in in_slices(self.connections.sids(), SOCKETS_AT_ONCE):
                self._queue(sid, batch)
            # Otherwise nothing would be written until the last batch is queued, and the queues are bounded.
            pause()

    def _queue(self, sid: str, batch: Batch) -> None:
        self.server.eio.send_packet(self.manager.eio_sid_from_sid(sid, NAMESPACE), batch)

    @staticmethod
    def _packet(name: str, payload: Any) -> Packet:
        # As the library encodes an event of this namespace, without one more object for it.
        return Packet(MESSAGE, f"{EVENT}{decimal_json.dumps([name, payload])}")

    def start(self) -> None:
        """Start the background work. A server calls this once; commands do not.

        Raises Refusal when the server must not start.
        """
        for start in self.at_start:
            start()
        for task in self.tasks:
            task.start(self.app, self.socketio)

    def close(self) -> None:
        """Stop the background work and close all sockets. Bets that have begun end on their own."""
        for task in reversed(self.tasks):
            task.stop()
        for stop in self.at_stop:
            stop()
        for transport_id in list(self.server.eio.sockets):
            self.transports.close(transport_id)

    def joined(self, sid: str) -> None:
        """Call ``on_joined`` for a socket that was just accepted, in the background."""
        self.in_background(self._joined, sid)

    def _joined(self, sid: str) -> None:
        try:
            # One database connection for all of it: after a restart all clients reconnect at once.
            with reading():
                for joined in self.on_joined:
                    self._call_joined(joined, sid)
        except UNAVAILABLE:
            clients_log.exception("sending the state on connect failed")

    def _call_joined(self, joined: Callable[[str], None], sid: str) -> None:
        try:
            if self.connections.get(sid) is not None:
                joined(sid)
        except Exception:  # noqa: BLE001  # the socket stays connected; HTTP serves all of this too
            clients_log.exception("sending the state on connect failed")

    def forget(self, sid: str) -> None:
        """Remove a socket that has gone."""
        self.connections.remove(sid)
        # After the socket was removed, so that no proof that is sent meanwhile goes to it.
        self._left(sid)

    def make_spectators(self, user_id: int, *, before: int) -> None:
        """Make spectators of the player's sockets here whose token numbers are lower than this one."""
        for sid in self.connections.make_spectators(user_id, before=before):
            self._left(sid)

    def _left(self, sid: str) -> None:
        for left in self.on_left:
            left(sid)

    def in_background(self, task: Callable[..., Any], *args: Any) -> None:
        """Run a task beside the requests, within the app."""
        token = object()
        self.in_flight.add(token)
        self.socketio.start_background_task(self._run, token, task, args)

    def _run(self, token: object, task: Callable[..., Any], args: Sequence[Any]) -> None:
        try:
            with self.app.app_context(), waiting.limit_waits():
                task(*args)
        except Exception:  # the library would print the arguments
            log.exception("task failed")
        finally:
            self.in_flight.discard(token)


def _quiet_logger(name: str) -> logging.Logger:
    """A logger of errors only: below that level the libraries log whole packets, tokens included."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.ERROR)
    return logger


def current_realtime() -> Realtime:
    """The real-time side of the running app."""
    return cast("Realtime", current_app.extensions["realtime"])
