"""The Socket.IO server of an app, and its background tasks."""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, cast

import socketio
from engineio.packet import MESSAGE, Packet
from flask import Flask, current_app
from flask_socketio import SocketIO
from gevent import monkey
from socketio.packet import EVENT

from models.db import waiting
from server import repeated_lines
from server.realtime.connections import Connections
from server.realtime.transport import CHECK_SECONDS, NAMESPACE, Batch, Transports
from services.shared import decimal_json
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from settings import Settings

log = logging.getLogger("platform.realtime")

MAX_MESSAGE_BYTES = 64 * 1024
EVENTS_IN_A_BATCH = 50
"""A batch counts as one message of the 500 that a client may leave unread."""

RETRY_SECONDS = 1.0
"""The shortest time from a failed round of repeated work to the next one, which may be woken after it."""

ROUND_SECONDS = 2.0
"""Time between two rounds, which is the longest delay after a lost signal."""

STOP_SECONDS = 2.0
"""How long a stop waits for the running round of repeated work, unless the work says otherwise."""

SOCKETS_AT_ONCE = 250
"""Receivers of a broadcast between two pauses: 2 ms, where 5,000 in one go took 30."""

Event = tuple[str, Any]
"""An event's name and its payload."""

AcknowledgedEvent = tuple[str, Any, int]
"""An event with the number that ``manager.acknowledged`` is called with if the client acknowledges it."""


class Manager(socketio.Manager):  # type: ignore[misc]  # the library carries no types
    """The library's manager, with less work for a disconnect and for an acknowledgement."""

    acknowledged: Callable[[str, int], bool]
    """Called with a socket and the number of an event that it acknowledges; whether that was awaited."""

    def trigger_callback(self, sid: str, id: int, _data: Any) -> None:  # noqa: A002  # the library's name
        """Report an acknowledgement by its id.

        The library keeps a callback for each event until it is acknowledged. Most clients never do that.
        """
        transport = self.server.eio.sockets.get(self.eio_sid_from_sid(sid, NAMESPACE))
        if self.acknowledged(sid, id) and transport is not None:
            # A client may get hundreds of missed proofs at once, and acknowledge each of them.
            transport.uncount_packet()

    def basic_disconnect(self, sid: str, namespace: str) -> None:
        """Forget a socket without searching the rooms of all others: 1 ms with 5,000 sockets.

        The only rooms here are those that the library makes: one of all sockets, and one for each alone.
        """
        for room in (sid, None):
            self.basic_leave_room(sid, namespace, room)
        self.callbacks.pop(sid, None)
        for pending in (self.pending_connect, self.pending_disconnect):
            if sid in pending.get(namespace, ()):
                pending[namespace].remove(sid)
                if not pending[namespace]:
                    del pending[namespace]


class Rounds:
    """The rounds of repeated work."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        """Set it to begin the next round at once, or when the running one has ended."""
        self.stop = threading.Event()
        """Set when the running round is the last one, and should end soon."""


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
        # Logged already, as the library sees it: these lines have the ids of sessions, which are secrets.
        self.server.eio.log_message_keys |= {"bad-sid", "bad-transport", "not-connected", "unexpected-http"}
        self.manager: Any = self.server.manager
        limited = settings.ratelimit_enabled
        self.transports = Transports(self.server, paced=limited)
        self.connections = Connections(
            per_address=settings.address_max_sockets if limited else None, clock=clock
        )
        self.tasks: set[object] = set()
        """One object for each background task and event that is running; a stop waits for them."""
        self.at_start: list[Callable[[], None]] = []
        self.before_close: list[Callable[[], None]] = []
        """Called in reverse order: what was installed first stops last."""
        self.on_joined: Callable[[str], None] = lambda _sid: None
        """Called with the id of each socket that was just accepted; its client may not know it yet."""
        self.on_left: Callable[[str], None] = lambda _sid: None
        """Called with the id of each socket that has gone, or has become a spectator."""
        self._has_others = bool(settings.redis_url)
        self.repeat(
            self.transports.check_deadlines, every_seconds=CHECK_SECONDS, on_failure="deadlines not checked"
        )

    def send(self, sid: str, events: Sequence[Event | AcknowledgedEvent]) -> None:
        """Send events to a socket, in order and as one batch. A socket that has disconnected is skipped.

        The library's emit takes twice as long: it searches each payload for binary data.
        """
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

    def _packet(self, name: str, payload: Any, ack_id: int | None = None) -> Packet:
        event = self.server.packet_class(
            EVENT, data=[name, payload], namespace=NAMESPACE, id=ack_id, binary=False
        )
        return Packet(MESSAGE, event.encode())

    def start(self) -> None:
        """Start the background work. A server calls this once; commands do not.

        Raises OperatorError when the server must not start.
        """
        for start in self.at_start:
            start()

    def close(self) -> None:
        """Stop the background work and close all sockets. Spins that have begun end on their own."""
        for stop in reversed(self.before_close):
            stop()
        for transport_id in list(self.server.eio.sockets):
            self.transports.close(transport_id)

    def forget(self, sid: str) -> None:
        """Remove a socket that has gone."""
        self.connections.remove(sid)
        # After the socket was removed, so that no proof that is sent meanwhile goes to it.
        self.on_left(sid)

    def end_sessions(self, user_id: int, *, before: int) -> None:
        """Make spectators of the player's sockets here whose session numbers are lower than this one."""
        for sid in self.connections.end_sessions(user_id, before=before):
            self.on_left(sid)

    def repeat(
        self,
        work: Callable[[], None],
        *,
        every_seconds: float,
        on_failure: str,
        logger: logging.Logger = repeated_lines.log,
        at_end: Callable[[], None] = lambda: None,
        stop_seconds: float = STOP_SECONDS,
    ) -> Rounds:
        """Call ``work`` in one task of its own, at the server's start and ``every_seconds`` after each call.

        It runs within the app. An exception is logged with the message ``on_failure``; the next round tries
        again. ``at_end`` is called after the last round. A stop waits ``stop_seconds`` for both.
        """
        rounds = Rounds()
        tasks: list[Any] = []

        def run() -> None:
            while not rounds.stop.is_set():
                try:
                    with self.app.app_context():
                        work()
                except Exception:  # as the docstring says
                    logger.exception(on_failure)
                    rounds.stop.wait(RETRY_SECONDS)
                rounds.woken.wait(every_seconds)
                rounds.woken.clear()
            with self.app.app_context():
                at_end()

        def close() -> None:
            rounds.stop.set()
            rounds.woken.set()
            for task in tasks:
                task.join(stop_seconds)

        self.at_start.append(lambda: tasks.append(self.socketio.start_background_task(run)))
        self.before_close.append(close)
        return rounds

    def every_two_seconds(self, work: Callable[[], None]) -> None:
        """With REDIS_URL, call this at the start and every two seconds.

        It looks in the database for changes by other processes whose signals were lost.
        """
        if self._has_others:
            self.repeat(work, every_seconds=ROUND_SECONDS, on_failure="round failed")

    def in_background(self, task: Callable[..., Any], *args: Any) -> None:
        """Run a task beside the requests, within the app."""
        token = object()
        self.tasks.add(token)
        self.socketio.start_background_task(self._run, token, task, args)

    def _run(self, token: object, task: Callable[..., Any], args: Sequence[Any]) -> None:
        try:
            with self.app.app_context(), waiting.limit_waits():
                task(*args)
        except Exception:  # the library would print the arguments
            log.exception("task failed")
        finally:
            self.tasks.discard(token)


def _quiet_logger(name: str) -> logging.Logger:
    """A logger of errors only: below that level the libraries log whole packets, tokens included."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.ERROR)
    return logger


def realtime() -> Realtime:
    """The real-time side of the running app."""
    return cast("Realtime", current_app.extensions["realtime"])
