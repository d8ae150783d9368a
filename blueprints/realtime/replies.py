"""How events are answered: with further events and the acknowledgement in their order, all in one write."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import socketio
from engineio.exceptions import SocketIsClosedError
from socketio.packet import ACK, EVENT

from blueprints.realtime.frames import Bundle
from services import exact_json

Event = tuple[str, Any]
"""A name, and what is sent under it."""


class Reply(Protocol):
    """Answers an event, once: ``answer`` goes to the client's acknowledgement, if it asked for one."""

    def __call__(self, answer: Any, *, before: Sequence[Event] = (), after: Sequence[Event] = ()) -> None: ...


def message_of(event: Event, *, ack_id: int | None = None) -> str:
    """Encode an event of the default namespace. ``ack_id`` asks the client to acknowledge it."""
    return f"{EVENT}{'' if ack_id is None else ack_id}{exact_json.dumps(event)}"


class Server(socketio.Server):  # type: ignore[misc]  # the library carries no types
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
        messages = [message_of(event) for event in before]
        if asked is not None:
            messages.append(f"{ACK}{asked}{exact_json.dumps([answer])}")
        messages += [message_of(event) for event in after]
        # One that ends at this moment is told nothing.
        with suppress(SocketIsClosedError):
            self.eio.send_packet(transport, Bundle(messages))


# Flask-SocketIO makes its server by this name.
socketio.Server = Server
