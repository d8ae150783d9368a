"""What every answer carries, and what it leaves behind: an id, headers, a count and a line in the log.

Around Flask and not within it: its own hooks for this took half of the 170 µs that its smallest answer cost.
What lies ready (ready_answers.py) has its frame ready too, but for the id.
"""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from flask import Flask

from blueprints.common.cors import VARY, Cors
from blueprints.common.exchange import KEY, Exchange
from blueprints.common.notes import AnswerNote, Notes
from blueprints.common.written_fields import WrittenFields

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]
Headers = Sequence[tuple[str, str]]

REQUEST_ID = "X-Request-Id"
ID_BITS, ID_DIGITS = 128, 32
SOCKETS = "/socket.io/"
"""Not framed: what carries sockets is no request of the API, and has rules of its own."""


class Frame:
    """A WSGI application around another one."""

    def __init__(self, inner: WsgiApp, *, headers: Headers, cors: Cors, notes: Notes[AnswerNote]) -> None:
        self._inner = inner
        self._headers = headers
        self.cors = cors
        self.notes = notes

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(SOCKETS):
            return self._inner(environ, _with_socket_headers(start_response))
        began = time.perf_counter()
        exchange = environ[KEY] = Exchange(new_request_id())

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            method, seconds = environ["REQUEST_METHOD"], time.perf_counter() - began
            self.notes.add((time.time(), exchange.request_id, method, exchange.route, status, seconds))
            framed = [*headers, *self.cors.headers(environ)]
            self._complete(framed, exchange)
            return start_response(status, framed, *exc_info)

        return self._inner(environ, start)

    def around(self, headers: Headers, environ: Environ) -> WrittenFields:
        """The headers of an answer that says nothing of what the frame adds; all but the request's id."""
        return WrittenFields([*headers, *self.cors.headers(environ), *self._headers])

    def _complete(self, headers: list[tuple[str, str]], exchange: Exchange) -> None:
        """Add what an answer does not say for itself."""
        said = dict(headers)
        headers += [header for header in self._headers if header[0] not in said]
        if exchange.is_private:
            # One player's answer must not be shown to the next one at the same machine.
            headers[:] = [header for header in headers if header[0] != "Cache-Control"]
            headers.append(("Cache-Control", "no-store"))
        headers.append((REQUEST_ID, exchange.request_id or ""))


def _with_socket_headers(start_response: StartResponse) -> StartResponse:
    """Socket.IO's own CORS headers come without ``Vary``. What a poll returns belongs to one client."""

    def start(status: str, headers: Headers, *exc_info: Any) -> Any:
        return start_response(status, [*headers, VARY, ("Cache-Control", "no-store")], *exc_info)

    return start


def new_request_id() -> str:
    return f"{random.getrandbits(ID_BITS):0{ID_DIGITS}x}"


def frame_answers(app: Flask, *, headers: Headers, cors: Cors, notes: Notes[AnswerNote]) -> Frame:
    """Put the frame around what the app answers so far."""
    frame = Frame(app.wsgi_app, headers=headers, cors=cors, notes=notes)
    app.wsgi_app = frame  # type: ignore[method-assign]
    return frame
