"""One connection of the production server: its requests, each within bounds of time and size."""

import logging
import time
from io import BytesIO
from typing import Any, ClassVar

import gevent
import geventwebsocket.handler
from gevent.pywsgi import headers_factory
from geventwebsocket.handler import WebSocketHandler
from gunicorn.workers.ggevent import PyWSGIHandler

from blueprints.common.failures import describe
from blueprints.serving.answer import AnswerWriter
from blueprints.serving.body import BoundedInput
from blueprints.serving.headers import BAD_REQUEST, LINE_TOO_LONG, Refused, check_request_line, read_head
from blueprints.serving.turns import EVERY_ROUND, Turns
from blueprints.serving.websocket import BoundedWebSocket

log = logging.getLogger("platform.worker")

IDLE_SECONDS = 30.0
"""How long a connection may wait between two requests."""

HEAD_SECONDS = 10.0
"""From a connection's opening, or from a further request's first byte, to the end of its header."""

BODY_SECONDS = 30.0
READ_BYTES = 2 * 1024
"""Read ahead of a connection. The library's 8 KiB were kept for as long as a websocket lived."""

IN_A_ROUND = 8
"""So many requests or messages of one connection, then it is the others' turn."""

SOCKET_SECONDS = 120.0
"""For one answer to be taken off our hands, and for a websocket to say anything at all."""

# The library's handler makes its websockets by this name.
geventwebsocket.handler.WebSocket = BoundedWebSocket


class TooSlow(OSError):
    """No request, or no end of one, in time; the connection is closed without a word."""


class Handler(WebSocketHandler, AnswerWriter, PyWSGIHandler):  # type: ignore[misc]
    """One connection. Requests are logged by the app, without the query strings that pywsgi would write."""

    busy: ClassVar[set["Handler"]] = set()
    """Who is being answered, or has a socket."""

    turns = Turns(busy)

    def __init__(self, sock: Any, address: Any, server: Any) -> None:
        super().__init__(sock, address, server, sock.makefile("rb", READ_BYTES))
        sock.settimeout(SOCKET_SECONDS)
        self._is_first = True
        self._round = self._in_round = 0
        self._deadline = time.monotonic() + HEAD_SECONDS

    def read_requestline(self) -> str:
        """The first line of the next request; empty when the client has closed. Raises TooSlow."""
        if self._is_first:
            with self._until_the_deadline():
                self.rfile.peek(1)
            # Greenlets that wake because something came run before all others. Of a thousand newcomers who
            # speak at once, that would be half a second for who is here.
            gevent.sleep(0)
            self._is_first = False
        else:
            self.let_others_have_a_round()
            with gevent.Timeout(IDLE_SECONDS, TooSlow("idle")):
                self.rfile.peek(1)
            self._deadline = time.monotonic() + HEAD_SECONDS
        with self._until_the_deadline():
            line: str = super().read_requestline()
        return line

    def let_others_have_a_round(self) -> None:
        """Reading what is there already never comes by the loop, and nobody else would be served."""
        now = gevent.get_hub().loop.iteration
        if now != self._round:
            self._round, self._in_round = now, 0
        self._in_round += 1
        if self._in_round >= IN_A_ROUND:
            gevent.idle(EVERY_ROUND)

    def read_request(self, raw_requestline: str) -> bool:
        """Raises Refused for a request line or a head that is not clear beyond doubt."""
        if not raw_requestline.endswith("\n"):
            raise Refused(LINE_TOO_LONG if len(raw_requestline) > 1 else BAD_REQUEST)
        check_request_line(raw_requestline)
        return bool(super().read_request(raw_requestline))

    def MessageClass(self, rfile: Any, *_: Any) -> Any:  # noqa: N802  # the library's name
        """The header fields. Raises Refused and TooSlow."""
        with self._until_the_deadline():
            head = read_head(rfile, version=self.request_version)
        return headers_factory(BytesIO(head))

    def get_environ(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environ()
        unbounded = self.wsgi_input
        self.wsgi_input = BoundedInput(
            self.rfile,
            self.content_length,
            socket=unbounded.socket,
            chunked_input=unbounded.chunked_input,
            seconds=BODY_SECONDS,
        )
        if environ["wsgi.input"] is unbounded:
            environ["wsgi.input"] = self.wsgi_input
        return environ

    def handle_one_response(self) -> None:
        super().handle_one_response()
        if not self.wsgi_input.is_consumed:
            # What is left of the body must not be taken for a request.
            self.close_connection = True

    def run_application(self) -> None:
        self.busy.add(self)
        try:
            super().run_application()
        finally:
            self.busy.discard(self)

    def run_websocket(self) -> None:
        # 4 KiB that nobody looks at any more, for as long as the socket lives.
        del self.headers
        super().run_websocket()

    def log_request(self) -> None:
        """The app has logged it."""

    def _until_the_deadline(self) -> gevent.Timeout:
        return gevent.Timeout(max(self._deadline - time.monotonic(), 0.001), TooSlow("head"))

    def _handle_client_error(self, error: Exception) -> tuple[str, bytes] | None:
        """The answer to what is no request. Nothing of it is logged: a token may be in it."""
        if isinstance(error, TooSlow):
            return None
        if not isinstance(error, Refused):
            log.error("request not understood", extra={"failure": describe(error)})
        status = error.status if isinstance(error, Refused) else BAD_REQUEST
        answer = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        return status, answer.encode()

    def _log_error(self, _kind: Any, error: BaseException, _traceback: Any) -> None:
        """A connection that failed, without the message and the environment that pywsgi would print."""
        log.error("connection failed", extra={"failure": describe(error)})
