"""A websocket with bounds on the size and duration of messages, which always closes its connection."""

from contextlib import suppress
from typing import Any, Final

import gevent
from geventwebsocket.exceptions import ProtocolError, WebSocketError
from geventwebsocket.websocket import Header, WebSocket

from server.realtime.realtime import MAX_MESSAGE_BYTES
from server.realtime.transport import Frames

MAX_FRAMES = 64
"""Frames of one message."""

MESSAGE_SECONDS = 50.0
"""For the next message to arrive. Clients answer a ping every 25 s."""

CLOSE_SECONDS = 2.0
"""How long a client may take to answer the closing frame."""

TOO_BIG = 1009
BYTE_ORDER: Final = "big"


class BoundedWebSocket(WebSocket):  # type: ignore[misc]  # the library carries no types
    """The library's websocket with limits.

    The library reads a frame of any size into memory, unmasks and validates it byte by byte in Python, sends
    closing frames without their code, and keeps a connection open whose client never answers them.
    """

    __slots__ = ()
    closed: Any  # a slot of the library's class

    def read_message(self) -> str | bytes | None:
        """The next message; None when the client has closed.

        Raises ProtocolError, UnicodeError, TimeoutError.
        """
        self.handler.yield_after_some()
        if self.closed:
            return None
        # Over all frames: control frames between the frames of a message must not prolong it.
        with gevent.Timeout(MESSAGE_SECONDS, TimeoutError("no message")):
            return self._read_frames()

    def _read_frames(self) -> str | bytes | None:
        message = bytearray()
        kind = None
        for _ in range(MAX_FRAMES):
            header = self._read_header()
            if len(message) + header.length > MAX_MESSAGE_BYTES:
                break
            payload = self._read_payload(header)
            if header.opcode == self.OPCODE_CLOSE:
                self.handle_close(header, payload)
                return None
            if header.opcode == self.OPCODE_PING:
                self.handle_ping(header, payload)
            if header.opcode in (self.OPCODE_PING, self.OPCODE_PONG):
                continue
            if (kind is None) == (header.opcode == self.OPCODE_CONTINUATION):
                raise ProtocolError("continuation frames without a start, or a start within a message")
            kind = header.opcode if kind is None else kind
            message += payload
            if header.fin:
                return message.decode() if kind == self.OPCODE_TEXT else bytes(message)
        self.close(TOO_BIG)
        # Closing a connection with unread data resets it, and the client would not get the code.
        with suppress(OSError):
            while self.handler.rfile.read1(MAX_MESSAGE_BYTES):
                pass
        return None

    def _read_header(self) -> Header:
        header = Header.decode_header(self.stream)
        known = (self.OPCODE_CONTINUATION, self.OPCODE_TEXT, self.OPCODE_BINARY)
        control = (self.OPCODE_CLOSE, self.OPCODE_PING, self.OPCODE_PONG)
        if header.flags or not header.mask or header.opcode not in known + control:
            raise ProtocolError("an unmasked frame, or one of an unknown kind")
        return header

    def _read_payload(self, header: Header) -> bytes:
        payload = self.raw_read(header.length) if header.length else b""
        if len(payload) != header.length:
            raise WebSocketError("the connection ended within a frame")
        return _unmasked(payload, bytes(header.mask))

    def close(self, code: int = 1000, _reason: object = None) -> None:
        """Send the closing frame, and close the connection soon even if the client does not answer it."""
        if not self.closed:
            connection = self.handler.socket
            with suppress(WebSocketError):
                self.send_frame(code.to_bytes(2, BYTE_ORDER), self.OPCODE_CLOSE)
            self.closed = True
            gevent.spawn_later(CLOSE_SECONDS, _end, connection)
        super().close(code)

    def send(self, message: str | bytes, binary: bool | None = None) -> None:  # noqa: FBT001  # the library's signature
        """Send a message, or encoded frames as they are."""
        if not isinstance(message, Frames):
            super().send(message, binary)
        elif self.closed:
            raise WebSocketError("the connection is closed")
        else:
            self.handler.socket.sendall(message)

    def hang_up(self) -> None:
        """Close the connection now, without waiting for its client."""
        connection = getattr(self.handler, "socket", None)
        if connection is not None:
            _end(connection)


def _unmasked(payload: bytes, mask: bytes) -> bytes:
    """The payload with the mask taken off, as one operation on two large numbers."""
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    plain = int.from_bytes(payload, BYTE_ORDER) ^ int.from_bytes(key, BYTE_ORDER)
    return plain.to_bytes(size, BYTE_ORDER)


def _end(connection: gevent.socket.socket) -> None:
    # It is closed already if the client has answered.
    with suppress(OSError):
        connection.shutdown(gevent.socket.SHUT_RDWR)
