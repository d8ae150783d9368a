"""The body of a request, read strictly (RFC 9112, sections 6 and 7) and within bounds of time and size.

A body whose end is ambiguous is refused, because a proxy in front could find another end. After an error
nothing more is read from the connection.
"""

import io
import re
import time
from collections.abc import Callable

import gevent

from server.worker.headers import FIELD, NAME, TRAILERS_REFUSED

MAX_DISCARDED_BYTES = 8 * 1024 * 1024
"""Of a body that the application did not read. A client that sends more finds its connection closed."""

MAX_EXTENSION_BYTES = 1024
"""Chunk extensions of one body; they are parsed and ignored."""

MAX_TRAILER_BYTES = 4 * 1024
MAX_TRAILERS = 32
READ_BYTES = 64 * 1024

_QUOTED = rb'"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"'
_TOKEN = NAME.encode()
CHUNK_LINE = re.compile(
    rb"([0-9A-Fa-f]{1,8})((?:[\t ]*;[\t ]*%b(?:[\t ]*=[\t ]*(?:%b|%b))?)*)\r\n" % (_TOKEN, _TOKEN, _QUOTED)
)
"""A chunk's size, up to 4 GiB, and its extensions."""

MAX_CHUNK_LINE_BYTES = MAX_EXTENSION_BYTES + 10


class BodyError(OSError):
    """The body is malformed or ends early. Werkzeug answers 400."""


class BodyTooSlow(BodyError):
    """The body has not arrived in time."""


class Body(io.RawIOBase):
    """A request's body, for an ``io.BufferedReader`` around it.

    ``length`` is in bytes, None for a chunked body. ``seconds`` is the time in which all of it must arrive.
    ``send_continue`` is called before the first read. Reads raise BodyError and BodyTooSlow.
    """

    def __init__(
        self,
        stream: io.BufferedReader,
        *,
        length: int | None,
        seconds: float,
        send_continue: Callable[[], None] | None = None,
    ) -> None:
        self._stream = stream
        self._chunked = length is None
        self._left = length or 0
        """Bytes until the end of the chunk, or of a body that is not chunked."""
        self._is_last = not self._chunked
        self._has_failed = False
        self._extension_bytes = 0
        self._deadline = time.monotonic() + seconds
        self._send_continue = send_continue

    @property
    def is_consumed(self) -> bool:
        """Whether the next bytes of the connection are the next request's."""
        return self._is_last and not self._left and not self._has_failed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self.is_consumed:
            return 0
        if self._has_failed:
            raise BodyError("the body can't be read any further")
        try:
            with gevent.Timeout(max(self._deadline - time.monotonic(), 0.001), BodyTooSlow("body")):
                return self._read_some(memoryview(buffer))
        except BaseException:
            self._has_failed = True
            raise

    def _read_some(self, buffer: memoryview) -> int:
        if self._send_continue is not None:
            self._send_continue()
            self._send_continue = None
        if not self._left:
            self._begin_chunk()
        if not self._left:
            return 0
        data = self._stream.read1(min(self._left, len(buffer)))
        if not data:
            raise BodyError("the body ends early")
        buffer[: len(data)] = data
        self._left -= len(data)
        if self._chunked and not self._left and self._stream.read(2) != b"\r\n":
            raise BodyError("a chunk does not end with CRLF")
        return len(data)

    def _begin_chunk(self) -> None:
        line = CHUNK_LINE.fullmatch(self._stream.readline(MAX_CHUNK_LINE_BYTES))
        if line is None:
            raise BodyError("malformed chunk size or extension")
        self._extension_bytes += len(line[2])
        if self._extension_bytes > MAX_EXTENSION_BYTES:
            raise BodyError("chunk extensions too large")
        self._left = int(line[1], 16)
        if not self._left:
            self._read_trailers()
            self._is_last = True

    def _read_trailers(self) -> None:
        """Trailers are parsed and ignored."""
        left = MAX_TRAILER_BYTES
        for _ in range(MAX_TRAILERS + 1):
            line = self._stream.readline(left)
            if line == b"\r\n":
                return
            field = FIELD.fullmatch(line)
            if field is None or field[1].lower() in TRAILERS_REFUSED:
                break
            left -= len(line)
        raise BodyError("malformed or too large trailers")

    def _discard(self) -> None:
        """Read on to the end, so that the client reads the answer before the connection closes.

        pywsgi calls this after each request. A client that still waits for ``100 Continue`` sends nothing.
        """
        if self._send_continue is not None:
            return
        scratch, discarded = bytearray(READ_BYTES), 0
        while discarded < MAX_DISCARDED_BYTES and (size := self.readinto(memoryview(scratch))):
            discarded += size
