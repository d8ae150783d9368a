"""What every answer carries, and what it leaves behind: an id, headers, a count and a line in the log.

Around Flask and not within it: an answer of Flask's and one that lay ready (ready_answers.py) are framed by
the same lines, and Flask's own hooks for this took half of the 170 µs that its smallest answer cost.
"""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from flask import Flask

from blueprints.common.cors import Cors
from blueprints.common.exchange import KEY, Exchange
from blueprints.common.notes import AnswerNote, Notes

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]
Headers = Sequence[tuple[str, str]]

ID_BITS, ID_DIGITS = 128, 32
SOCKETS = "/socket.io/"
"""Not framed: what carries sockets is no request of the API, and has rules of its own."""


class Frame:
    """A WSGI application around another one."""

    def __init__(self, inner: WsgiApp, *, headers: Headers, cors: Cors, notes: Notes[AnswerNote]) -> None:
        self._inner = inner
        self._headers = headers
        self._cors = cors
        self._notes = notes

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(SOCKETS):
            return self._inner(environ, start_response)
        began = time.perf_counter()
        exchange = environ[KEY] = Exchange(f"{random.getrandbits(ID_BITS):0{ID_DIGITS}x}")

        def start(status: str, headers: Headers, *exc_info: Any) -> Any:
            method, seconds = environ["REQUEST_METHOD"], time.perf_counter() - began
            self._notes.add((time.time(), exchange.request_id, method, exchange.route, status, seconds))
            framed = [*headers, *self._cors.headers(environ)]
            self._complete(framed, exchange)
            return start_response(status, framed, *exc_info)

        return self._inner(environ, start)

    def _complete(self, headers: list[tuple[str, str]], exchange: Exchange) -> None:
        """Add what an answer does not say for itself."""
        if exchange.is_ready:
            headers += self._headers
        else:
            said = dict(headers)
            headers += [header for header in self._headers if header[0] not in said]
            if exchange.is_private and "Cache-Control" not in said:
                # One player's answer must not be shown to the next one at the same machine.
                headers.append(("Cache-Control", "no-store"))
        headers.append(("X-Request-Id", exchange.request_id or ""))


def frame_answers(app: Flask, *, headers: Headers, cors: Cors, notes: Notes[AnswerNote]) -> None:
    """Put the frame around what the app answers so far."""
    app.wsgi_app = Frame(app.wsgi_app, headers=headers, cors=cors, notes=notes)  # type: ignore[method-assign]
