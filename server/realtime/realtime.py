"""The Socket.IO server of an app, its connections, and its background tasks."""

import logging
import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import orjson
from engineio.packet import MESSAGE, Packet
from flask import Flask, current_app
from flask_socketio import SocketIO
from gevent import monkey
from socketio.packet import ACK, EVENT

from models.db import waiting
from models.db.connection import UNAVAILABLE, reading
from server.addresses import Keys, networks
from server.logs import clients_log
from server.realtime.repeated_task import RepeatedTask
from server.realtime.transport import NAMESPACE, Batch, Manager, Transports
from services.shared import decimal_json
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from services.shared.errors import Refusal, TooManyRequests, Unauthorized
from settings import Settings

log = logging.getLogger("platform.realtime")

MAX_MESSAGE_BYTES = 64 * 1024
SOCKETS_OF_ADDRESS = 1_000
"""Open sockets that one client address may have in a process."""

MAX_SOCKETS = 10
"""Sockets of one player in a process."""

MAX_EVENTS_IN_FLIGHT = 5
"""Events of one socket that are being handled."""

EVENTS_IN_A_BATCH = 50
"""A batch counts as one message of the 500 that a client may leave unread."""

SOCKETS_AT_ONCE = 250
"""Receivers of a broadcast between two pauses: 2 ms, where 5,000 in one go took 30."""

Event = tuple[str, Any]
"""An event's name and its payload."""


class Acknowledgement(NamedTuple):
    """The answer to an event whose client has asked for one with this id."""

    id: int
    answer: Any


@dataclass(frozen=True)
class Received:
    """An event of a client."""

    sid: str
    payload: object
    """None if it has none. Further arguments are ignored."""
    is_allowed: bool
    """Whether its client may send as many."""
    id: int | None
    """That of the acknowledgement; None if the client asks for none."""

    def acknowledgement(self, answer: object) -> "list[Acknowledgement]":
        """What answers the event: one, or none."""
        return [] if self.id is None else [Acknowledgement(self.id, answer)]

    def check_rate(self) -> None:
        """Raises TooManyRequests when this is one more than its client may send."""
        if not self.is_allowed:
            raise TooManyRequests


@dataclass
class Connection:
    """One socket. ``user_id`` is None for a spectator, who may only watch."""

    sid: str
    user_id: int | None = None
    address: str = ""
    expires_at: Millis | None = None
    token_number: int = 0
    """The number of its token."""
    events_in_flight: int = field(default=0, compare=False)
    last_sent: dict[str, Any] = field(default_factory=dict, compare=False)
    """For the areas: what identifies the last event that the socket was sent, by the event's name."""

    @property
    def networks(self) -> Keys:
        """The networks of the client's address."""
        return networks(self.address)

    @property
    def groups(self) -> list[Hashable]:
        """The client's networks, and the player if there is one."""
        of_address = [key for key, _ in self.networks]
        return of_address if self.user_id is None else [*of_address, self.user_id]


class Connections:
    """All joined sockets of this process, by player and by client address."""

    def __init__(self, *, per_address: int | None, clock: Callable[[], Millis]) -> None:
        """``per_address`` sockets at most from one address, players and spectators together.

        For IPv6 from one /64, and a multiple of them from one /48.
        """
        self._per_address = per_address
        self._clock = clock
        self._by_sid: dict[str, Connection] = {}
        # By the ids of players and by networks.
        self._by_group: dict[Hashable, dict[str, Connection]] = {}
        self._guard = threading.Lock()

    def add(self, connection: Connection) -> None:
        """Raises Refusal when the player or the address has as many as are allowed."""
        with self._guard:
            if self._is_full(connection):
                raise Refusal("Too many connections", status=429)
            for group in connection.groups:
                self._by_group.setdefault(group, {})[connection.sid] = connection
            self._by_sid[connection.sid] = connection

    def _is_full(self, connection: Connection) -> bool:
        """Whether the player or one of the networks has as many sockets as are allowed."""
        if len(self._by_group.get(connection.user_id, ())) >= MAX_SOCKETS:
            return True
        most = self._per_address
        return most is not None and any(
            len(self._by_group.get(key, ())) >= most * times for key, times in connection.networks
        )

    def remove(self, sid: str) -> None:
        """Remove a socket, unless it is unknown."""
        with self._guard:
            connection = self._by_sid.pop(sid, None)
            if connection is not None:
                for group in connection.groups:
                    self._leave(group, connection)

    def make_spectators(self, user_id: int, *, before: int) -> list[str]:
        """Make spectators of the player's sockets whose token numbers are lower; returns their ids."""
        with self._guard:
            sockets = self._by_group.get(user_id, {})
            ended = [connection for connection in sockets.values() if connection.token_number < before]
            for connection in ended:
                self._leave(user_id, connection)
                connection.user_id = None
        return [connection.sid for connection in ended]

    def _leave(self, group: Hashable, connection: Connection) -> None:
        sockets = self._by_group[group]
        del sockets[connection.sid]
        if not sockets:
            del self._by_group[group]

    def get(self, sid: str) -> Connection | None:
        return self._by_sid.get(sid)

    def sids(self) -> list[str]:
        """All sockets, spectators' included."""
        return list(self._by_sid)

    def players(self) -> list[int]:
        """The ids of all players with a socket."""
        return [group for group in list(self._by_group) if isinstance(group, int)]

    def player_of(self, sid: str) -> int | None:
        """The player on this socket; None for a spectator, and once the token has expired."""
        connection = self._by_sid.get(sid)
        return connection.user_id if connection and self._is_valid(connection) else None

    def sids_of(self, user_id: int) -> list[str]:
        """The player's sockets whose tokens are valid, oldest first."""
        with self._guard:
            sockets = list(self._by_group.get(user_id, {}).values())
        return [connection.sid for connection in sockets if self._is_valid(connection)]

    def _is_valid(self, connection: Connection) -> bool:
        return connection.expires_at is None or self._clock() < connection.expires_at

    @contextmanager
    def event_in_flight(self, sid: str) -> Iterator[tuple[int, int]]:
        """Count an event of this socket as being handled within the block.

        Yields its player and the number of its token. Raises TooManyRequests when five are,
        Unauthorized when the socket has gone or has no valid token.
        """
        connection = self._by_sid.get(sid)
        if connection is None:
            raise Unauthorized
        if connection.events_in_flight >= MAX_EVENTS_IN_FLIGHT:
            raise TooManyRequests
        if connection.user_id is None or not self._is_valid(connection):
            raise Unauthorized
        connection.events_in_flight += 1
        try:
            yield connection.user_id, connection.token_number
        finally:
            connection.events_in_flight -= 1

    def __len__(self) -> int:
        return len(self._by_sid)


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
        self.handlers: dict[str, Callable[[Received], None]] = {}
        """What handles an event of a client, by its name, and acknowledges it."""
        self._held: dict[str, list[Packet]] = {}
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

    def send(self, sid: str, events: Sequence[Event | Acknowledgement]) -> None:
        """Send events to a socket, in order and as one batch. A socket that has disconnected is skipped."""
        if events:
            self._queue(sid, Batch([_packet(event) for event in events]))

    @contextmanager
    def one_write(self, sid: str) -> Iterator[None]:
        """Send all that this greenlet sends to a socket within the block in one write.

        The block must not wait, because what others send to the socket meanwhile would wait too.
        """
        held = self._held[sid] = []
        try:
            yield
        finally:
            del self._held[sid]
            if held:
                self._queue(sid, Batch(held))

    def broadcast(self, events: Sequence[Event], *, to: Collection[str] | None = None) -> None:
        """Send events to these sockets, by default to all, in batches, with pauses for other tasks.

        The library's emit takes 230 to 330 us for an event to 20 sockets, with a write of its own to each.
        A batch of 50 live bets takes 20 to 30 us for each of them.
        """
        for start in range(0, len(events), EVENTS_IN_A_BATCH):
            some = events[start : start + EVENTS_IN_A_BATCH]
            batch = Batch([_packet(event) for event in some])
            for sid in in_slices(self.connections.sids() if to is None else list(to), SOCKETS_AT_ONCE):
                self._queue(sid, batch)
            # Otherwise nothing would be written until the last batch is queued, and the queues are bounded.
            pause()

    def _queue(self, sid: str, batch: Batch) -> None:
        held = self._held.get(sid)
        if held is None:
            self.server.eio.send_packet(self.manager.eio_sid_from_sid(sid, NAMESPACE), batch)
        else:
            held.extend(batch)

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


def _packet(event: Event | Acknowledgement) -> Packet:
    """The packet as the library encodes it for this namespace, without one more object for it."""
    if isinstance(event, Acknowledgement):
        return Packet(MESSAGE, f"{ACK}{event.id}{_json([event.answer])}")
    return Packet(MESSAGE, f"{EVENT}{_json(event)}")


def _json(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        # An event of another program or process, with a decimal or an integer of more than 64 bits.
        return decimal_json.dumps(value)


def _quiet_logger(name: str) -> logging.Logger:
    """A logger of errors only: below that level the libraries log whole packets, tokens included."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.ERROR)
    return logger


def current_realtime() -> Realtime:
    """The real-time side of the running app."""
    return cast("Realtime", current_app.extensions["realtime"])
