"""The requests of one connection, each within bounds of time and size."""

import io
import logging
import time
from io import BytesIO
from typing import Any, ClassVar

import gevent
from gevent.pywsgi import headers_factory
from geventwebsocket.handler import WebSocketHandler
from geventwebsocket.websocket import Stream
from gunicorn.workers.ggevent import PyWSGIHandler

from server.logs import clients_log
from server.realtime.realtime import MAX_MESSAGE_BYTES
from server.worker.body import Body, BodyError, BodyTooSlow
from server.worker.headers import (
    BAD_REQUEST,
    LINE_TOO_LONG,
    RequestRefused,
    check_request_line,
    other_protocol,
    read_head,
    split_target,
)
from server.worker.websocket import (
    SOCKETS_PATH,
    VERSION,
    BoundedWebSocket,
    accept_value,
    asks_for_websocket,
    refusal_of,
)

log = logging.getLogger("platform.worker")

IDLE_SECONDS = 30.0
"""How long a connection may wait between two requests."""

HEAD_SECONDS = 10.0
"""From a connection's opening, or from a further request's first byte, to the end of its header."""

BODY_SECONDS = 30.0
REQUEST_SECONDS = 55.0
"""From the end of a request's header to the end of its response; websockets have bounds of their own."""

SOCKET_SECONDS = 50.0
"""For one write to a client that does not read. A websocket has no such limit, which would cost a timer for
each read: its transport cuts it when the client does not answer a ping."""

READ_BYTES = 2 * 1024
"""The read buffer of a connection. A websocket keeps it for life; the library's own has 8 KiB."""

MAX_WITHOUT_YIELD = 8
"""After this many requests or messages of one connection, the others are served."""

EVERY_ROUND_PRIORITY = 2
"""The highest priority of libev. Below it, an idle watcher does not run while another watcher is active."""

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class TooSlow(OSError):
    """No request, or no end of one, in time; the connection is closed without an answer."""


class Handler(WebSocketHandler, PyWSGIHandler):  # type: ignore[misc]
    """One connection. Requests are logged by the app, without the query strings that pywsgi would write."""

    path: str

    busy: ClassVar[set["Handler"]] = set()
    """Connections with a running request or an open websocket."""

    def __init__(self, sock: Any, address: Any, server: Any) -> None:
        super().__init__(sock, address, server, sock.makefile("rb", READ_BYTES))
        sock.settimeout(SOCKET_SECONDS)
        self._is_first = True
        self._iteration = self._since_yield = 0
        self._deadline = time.monotonic() + HEAD_SECONDS

    def read_requestline(self) -> str:
        """The first line of the next request; empty when the client has closed. Raises TooSlow."""
        if self._is_first:
            with self._until_the_deadline():
                beginning = self.rfile.peek(1)
            if advice := other_protocol(beginning):
                clients_log.warning(advice)
                # Refused as a request line. The rest of a TLS handshake may have none.
                return "\n"
            # Greenlets that wake for input run before all others. A thousand new connections that send at
            # once would delay everybody else by half a second.
            gevent.sleep(0)
            self._is_first = False
        else:
            self.yield_after_some()
            with gevent.Timeout(IDLE_SECONDS, TooSlow("idle")):
                self.rfile.peek(1)
            self._deadline = time.monotonic() + HEAD_SECONDS
        with self._until_the_deadline():
            line: str = super().read_requestline()
        return line

    def yield_after_some(self) -> None:
        """Yield to other greenlets after some requests: reading from the buffer alone never does."""
        now = gevent.get_hub().loop.iteration
        if now != self._iteration:
            self._iteration, self._since_yield = now, 0
        self._since_yield += 1
        if self._since_yield >= MAX_WITHOUT_YIELD:
            gevent.idle(EVERY_ROUND_PRIORITY)

    def read_request(self, raw_requestline: str) -> bool:
        """Raises RequestRefused for a malformed or ambiguous request line or head."""
        if not raw_requestline.endswith("\n"):
            raise RequestRefused(LINE_TOO_LONG if len(raw_requestline) > 1 else BAD_REQUEST)
        check_request_line(raw_requestline)
        super().read_request(raw_requestline)
        authority, self.path = split_target(self.command, self.path)
        if authority is not None:
            del self.headers["Host"]
            self.headers["Host"] = authority
        return True

    def MessageClass(self, rfile: Any, *_: Any) -> Any:  # noqa: N802  # the library's name
        """The header fields. Raises RequestRefused and TooSlow."""
        with self._until_the_deadline():
            head = read_head(rfile, version=self.request_version)
        return headers_factory(BytesIO(head))

    def get_environ(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environ()
        expects = environ.get("HTTP_EXPECT", "").lower() if self.request_version == "HTTP/1.1" else ""
        self.wsgi_input = Body(
            self.rfile,
            length=None if "HTTP_TRANSFER_ENCODING" in environ else self.content_length or 0,
            seconds=BODY_SECONDS,
            send_continue=(lambda: self.socket.sendall(CONTINUE)) if expects == "100-continue" else None,
        )
        has_body = not self.wsgi_input.is_consumed
        environ["wsgi.input"] = io.BufferedReader(self.wsgi_input) if has_body else self.wsgi_input
        environ["wsgi.input_terminated"] = True
        return environ

    def handle_one_response(self) -> None:
        super().handle_one_response()
        if not self.wsgi_input.is_consumed:
            # The rest of the body must not be read as a request.
            self.close_connection = True

    def run_application(self) -> None:
        """Raises gevent.Timeout for a request that takes too long; its connection is closed."""
        self.busy.add(self)
        self._time_limit = gevent.Timeout.start_new(REQUEST_SECONDS)
        try:
            if self._has_complete_packet():
                super().run_application()
        finally:
            self._time_limit.close()
            self.busy.discard(self)

    def _has_complete_packet(self) -> bool:
        """Read the body of a polling request, because Engine.IO logs a client's malformed body as an error.

        False when the request has been refused. True for any other request, which is left to the app.
        """
        if not self.environ["PATH_INFO"].startswith(SOCKETS_PATH) or self.wsgi_input.is_consumed:
            return True
        try:
            packet = self.environ["wsgi.input"].read(MAX_MESSAGE_BYTES + 1)
        except BodyTooSlow:
            self._refuse("408 Request Timeout", "The body has not arrived in time")
            return False
        except BodyError:
            self._refuse(BAD_REQUEST, "The body is malformed")
            return False
        if len(packet) > MAX_MESSAGE_BYTES:
            self._refuse("413 Content Too Large", "Request entity too large")
            return False
        self.environ |= {"wsgi.input": BytesIO(packet), "CONTENT_LENGTH": str(len(packet))}
        return True

    def _refuse(self, status: str, text: str, *fields: tuple[str, str]) -> None:
        """Answer in place of the app, and close the connection."""
        fields = (("Content-Type", "text/plain"), ("Content-Length", str(len(text))), *fields)
        self.start_response(status, [*fields, ("Cache-Control", "no-store"), ("Connection", "close")])
        self.write(text.encode())

    def upgrade_websocket(self) -> list[bytes] | None:
        """Make this connection a websocket if the request asks for one, or refuse it.

        The library's own checks answer 500 to a malformed key and accept any path and origin.
        """
        if not asks_for_websocket(self.environ):
            return None
        transports = self.application.extensions["realtime"].server.eio
        refusal = refusal_of(self.environ, transports)
        if refusal is not None:
            # Frames may follow; they must not be read as a request.
            self._refuse(*refusal, ("Sec-WebSocket-Version", VERSION))
            return []
        self.websocket = BoundedWebSocket(self.environ, Stream(self), self)
        self.environ |= {"wsgi.websocket": self.websocket, "wsgi.websocket_version": VERSION}
        accepted = accept_value(self.environ["HTTP_SEC_WEBSOCKET_KEY"])
        self.start_response(
            "101 Switching Protocols",
            [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accepted)],
        )
        return None

    def run_websocket(self) -> None:
        self._time_limit.close()
        self.socket.settimeout(None)
        # 4 KiB that are not used any more.
        del self.headers
        super().run_websocket()

    def log_request(self) -> None:
        """The app logs its requests itself."""

    def _until_the_deadline(self) -> gevent.Timeout:
        return gevent.Timeout(max(self._deadline - time.monotonic(), 0.001), TooSlow("head"))

    def _handle_client_error(self, error: Exception) -> tuple[str, bytes] | None:
        """The answer to a malformed request, of which nothing is logged: it may contain a token."""
        if isinstance(error, OSError):
            # Too slow, or disconnected.
            return None
        if not isinstance(error, ValueError):
            log.error("request not understood", exc_info=error)
        status = error.status if isinstance(error, RequestRefused) else BAD_REQUEST
        answer = (
            f"HTTP/1.1 {status}\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )
        return status, answer.encode()

    def handle_error(self, _kind: Any, error: BaseException, _traceback: Any) -> None:
        """Close a failed connection. pywsgi would print the exception's message and the WSGI environ."""
        self.close_connection = True
        if isinstance(error, gevent.Timeout):
            log.error("request took too long", exc_info=error)
        elif not isinstance(error, (OSError, gevent.GreenletExit)):
            log.error("connection failed", exc_info=error)
            self._send_error_response_if_possible(500)
