"""Websockets: handshakes that are checked completely before the answer, and bounded messages (RFC 6455)."""

import base64
import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs

import engineio
import gevent
from geventwebsocket.exceptions import ProtocolError, WebSocketError
from geventwebsocket.websocket import Header, WebSocket

from server.realtime.realtime import MAX_MESSAGE_BYTES
from server.realtime.transport import Frames
from server.worker.headers import BAD_REQUEST

MAX_FRAMES = 64
"""Frames of one message."""

CLOSE_SECONDS = 2.0
"""How long a client may take to answer the closing frame."""

TOO_BIG = 1009
BYTE_ORDER: Final = "big"

FORBIDDEN = "403 Forbidden"
UPGRADE_REQUIRED = "426 Upgrade Required"
SOCKETS_PATH = "/socket.io/"
VERSION = "13"
KEY = re.compile(r"[A-Za-z0-9+/]{22}==")
"""16 bytes in Base64."""

_KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

Refusal = tuple[str, str]
"""The status and the body of the answer."""


class BoundedWebSocket(WebSocket):  # type: ignore[misc]  # the library carries no types
    """The library's websocket with limits.

    The library reads a frame of any size into memory, unmasks and validates it byte by byte in Python, sends
    closing frames without their code, and keeps a connection open whose client never answers them.
    """

    __slots__ = ()
    closed: Any  # a slot of the library's class

    def read_message(self) -> str | bytes | None:
        """The next message; None when the client has closed. Raises ProtocolError, UnicodeError.

        It may take as long as the client answers pings, which it can't within a message: the transport cuts
        the connection of one that does not (server/realtime/transport.py).
        """
        self.handler.yield_after_some()
        return None if self.closed else self._read_frames()

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


def asks_for_websocket(environ: Mapping[str, Any]) -> bool:
    return str(environ.get("HTTP_UPGRADE", "")).lower() == "websocket"


def refusal_of(environ: Mapping[str, Any], transports: engineio.Server) -> Refusal | None:
    """The answer that refuses a request for a websocket; None when it is accepted."""
    origins = ("", *transports.cors_allowed_origins)
    connection = [token.strip() for token in environ.get("HTTP_CONNECTION", "").lower().split(",")]
    checks = (
        (environ["PATH_INFO"] == SOCKETS_PATH, BAD_REQUEST, "There are no websockets at this path"),
        (environ["REQUEST_METHOD"] == "GET", BAD_REQUEST, "A websocket begins with GET"),
        (environ["SERVER_PROTOCOL"] == "HTTP/1.1", BAD_REQUEST, "A websocket begins with HTTP/1.1"),
        ("upgrade" in connection, BAD_REQUEST, "Connection must be Upgrade"),
        (environ.get("HTTP_SEC_WEBSOCKET_VERSION") == VERSION, UPGRADE_REQUIRED, f"Use version {VERSION}"),
        (KEY.fullmatch(environ.get("HTTP_SEC_WEBSOCKET_KEY", "")), BAD_REQUEST, "The key is malformed"),
        (environ.get("HTTP_ORIGIN", "") in origins, FORBIDDEN, "This origin is not allowed"),
    )
    for passes, status, text in checks:
        if not passes:
            return status, text
    problem = _problem_of_query(parse_qs(environ["QUERY_STRING"]), transports)
    return (BAD_REQUEST, problem) if problem else None


def _problem_of_query(query: Mapping[str, list[str]], transports: engineio.Server) -> str | None:
    if query.get("transport") != ["websocket"]:
        return "The transport must be websocket"
    if "sid" not in query:
        return None if query.get("EIO") == ["4"] else "The Engine.IO version must be 4"
    transport = transports.sockets.get(query["sid"][0])
    can_upgrade = (
        transport is not None
        and transport.connected
        and not (transport.upgrading or transport.upgraded or transport.closing or transport.closed)
    )
    return None if can_upgrade else "This session can't be upgraded"


def accept_value(key: str) -> str:
    """The value of Sec-WebSocket-Accept for a client's key."""
    digest = hashlib.sha1((key + _KEY_SUFFIX).encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()
