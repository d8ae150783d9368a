"""How an answer goes out: its head checked and encoded as a whole, and with a short body in one piece."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from gevent.pywsgi import WSGIHandler
from gevent.socket import wait_write

from blueprints.serving.turns import Turns

SHORT_BYTES = 16 * 1024
"""So much is copied to save a packet, and the client a moment of waiting for the second one."""


class AnswerWriter(WSGIHandler):  # type: ignore[misc]  # gevent carries no types
    """pywsgi's handler, which checks and encodes every field by itself: a dozen took it 15 µs of 150."""

    turns: ClassVar[Turns]

    _head = b""

    def start_response(
        self, status: str, headers: Sequence[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], None]:
        """Raises ValueError for a line end in the status or a field, which would begin another answer."""
        if exc_info and self.headers_sent:
            raise exc_info[1].with_traceback(exc_info[2])
        fields = "".join([f"{name}: {value}\r\n" for name, value in headers])
        if not fields.count("\r") == fields.count("\n") == len(headers):
            raise ValueError("a line end in a header of a response")
        if "\r" in status or "\n" in status:
            raise ValueError("a line end in the status of an answer")
        self.status = status.encode("latin-1")
        self._head = b"HTTP/1.1 %b\r\n%b" % (self.status, fields.encode("latin-1"))
        self._orig_status = status
        self.code = int(status.split(" ", 1)[0])
        named = {name.lower(): value for name, value in headers}
        self.provided_date = named.get("date")
        self.provided_content_length = named.get("content-length")
        # What the server adds to them.
        self.response_headers = []
        self._settle_connection((named.get("connection") or "").lower() or None)
        if self.code in (304, 204) and self.provided_content_length not in (None, "0"):
            raise self.ApplicationError(f"an answer of {self.code} has no body")
        write: Callable[[bytes], None] = self.write
        return write

    def _settle_connection(self, provided: str | None) -> None:
        if self.request_version == "HTTP/1.0" and provided is None:
            self.response_headers.append(
                (b"Connection", b"close" if self.close_connection else b"keep-alive")
            )
        elif provided == "close":
            self.close_connection = True

    def _sendall(self, data: bytes) -> None:
        if len(data) <= SHORT_BYTES:
            super()._sendall(data)
        else:
            self._send_in_turns(data)
            self.response_length += len(data)

    def _send_in_turns(self, data: bytes) -> None:
        """As much in each turn as the connection takes. Raises TimeoutError for a client that is too slow."""
        deadline = time.monotonic() + self.socket.gettimeout()
        rest = memoryview(data)
        while True:
            self.turns.take(self)
            with suppress(BlockingIOError):
                rest = rest[self.socket.send(rest, 0, 0.0) :]
            if not rest:
                return
            # Without a turn: a client that reads nothing holds up nobody.
            patience = max(deadline - time.monotonic(), 0.001)
            wait_write(self.socket.fileno(), patience, TimeoutError("timed out"))

    def _write_with_headers(self, data: bytes) -> None:
        self.headers_sent = True
        self.finalize_headers()
        added = b"".join([b"%s: %s\r\n" % field for field in self.response_headers])
        head = self._head + added + b"\r\n"
        if data and len(data) <= SHORT_BYTES and not self.response_use_chunked:
            self._sendall(head + data)
        else:
            self._sendall(head)
            self._write(data)
