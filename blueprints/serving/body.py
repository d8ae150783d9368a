"""The body of a request as the program reads it: within a time, and never more than can be thrown away."""

import time

import gevent
from gevent.pywsgi import Input

MAX_DISCARDED_BYTES = 8 * 1024 * 1024
"""Of a body that the program did not want. A client that sends more finds its connection closed."""

READ_BYTES = 64 * 1024


class TooSlow(OSError):
    """The body has not arrived in time."""


class BoundedInput(Input):  # type: ignore[misc]  # gevent carries no types
    """A request's body that must have arrived ``seconds`` from now."""

    __slots__ = ("_deadline",)

    def __init__(self, *args: object, seconds: float, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self._deadline = time.monotonic() + seconds

    def read(self, length: int | None = None) -> bytes:
        """Raises TooSlow."""
        with gevent.Timeout(max(self._deadline - time.monotonic(), 0.001), TooSlow("body")):
            data: bytes = super().read(length)
        return data

    def readline(self, size: int | None = None) -> bytes:
        """Raises TooSlow."""
        with gevent.Timeout(max(self._deadline - time.monotonic(), 0.001), TooSlow("body")):
            line: bytes = super().readline(size)
        return line

    @property
    def is_consumed(self) -> bool:
        """Whether the next bytes of the connection are the next request's."""
        if self._chunked_input_error:
            return False
        if self.chunked_input:
            return bool(self.chunk_length == 0)
        return bool(self.position >= (self.content_length or 0))

    def _discard(self) -> None:
        """Read on to the body's end, so that the client hears the answer before the connection closes."""
        self.send_100_continue_enabled = False
        discarded = 0
        while not self.is_consumed and discarded < MAX_DISCARDED_BYTES:
            data = self.read(READ_BYTES)
            if not data:
                break
            discarded += len(data)
