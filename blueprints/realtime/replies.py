"""How events are answered: with further events and the acknowledgement in their order, all in one write."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import socketio
from engineio.exceptions import SocketIsClosedError
from engineio.packet import MESSAGE, Packet
from socketio.packet import ACK, EVENT
from socketio.packet import Packet as SocketPacket

from blueprints.realtime.frames import Bundle

Event = tuple[str, Any]
"""A name, and what is sent under it."""


class Reply(Protocol):
    """Answers an event, once: ``answer`` goes to the client's acknowledgement, if it asked for one."""

    def __call__(self, answer: Any, *, before: Sequence[Event] = (), after: Sequence[Event] = ()) -> None: ...


class TextPacket(SocketPacket):  # type: ignore[misc]  # the library carries no types
    """A packet without binary parts, for which the library would search all that is sent: 25 µs a spin."""

    uses_binary_events = False


class Server(socketio.Server):  # type: ignore[misc]
    """The library's server, with events that are answered by a ``Reply``.

    The library sends an acknowledgement after the event's handler has returned. What has to follow it would
    need a task of its own, and each event its own way through rooms: 90 µs of a spin's 800.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._replying: dict[str, Callable[..., None]] = {}

    def reply_to(self, event: str, handler: Callable[..., None]) -> None:
        """Call ``handler(sid, reply, *arguments)`` for this event."""
        self._replying[event] = handler

    def packet(self, event: Event) -> Packet:
        """As it goes to one transport or to many."""
        return Packet(MESSAGE, self.packet_class(EVENT, data=[*event]).encode())

    def _handle_event_internal(
        self, server: Any, sid: str, eio_sid: str, data: list[Any], namespace: str, asked: int | None
    ) -> None:
        handler = self._replying.get(data[0]) if isinstance(data[0], str) else None
        if handler is None:
            super()._handle_event_internal(server, sid, eio_sid, data, namespace, asked)
        else:
            handler(sid, partial(self._reply, eio_sid, asked), *data[1:])

    def _reply(
        self,
        transport: str,
        asked: int | None,
        answer: Any,
        *,
        before: Sequence[Event] = (),
        after: Sequence[Event] = (),
    ) -> None:
        packets = [self.packet(event) for event in before]
        if asked is not None:
            packets.append(Packet(MESSAGE, self.packet_class(ACK, id=asked, data=[answer]).encode()))
        packets += [self.packet(event) for event in after]
        # One that ends at this moment is told nothing.
        with suppress(SocketIsClosedError):
            self.eio.send_packet(transport, Bundle(packets))


# Flask-SocketIO makes its server by this name.
socketio.Server = Server
