"""In front of Flask: what lies ready is answered without it.

Flask takes 80 µs to find out which view a request is for, and the views below it as long again; bytes that
lie ready take 5. Whoever has made an answer says how long it is good (kept.py); when it no longer is, Flask
is asked, whose view is the one that makes it. Limits count here as there, and both have the same frame.
"""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import cast

from cachetools import FIFOCache
from flask import Flask, current_app, request

from blueprints.common.exchange import exchange_in
from blueprints.common.frame import REQUEST_ID, Environ, Frame, StartResponse, new_request_id
from blueprints.common.limits import READING, Limits, TooManyRequests
from blueprints.common.ready_answer import Form, ReadyAnswer
from blueprints.common.written_fields import WrittenFields

EXTENSION = "ready_answers"

KEPT_BYTES = 32 * 1024 * 1024
"""Of all answers by their queries. The oldest goes first: none is good for longer than a second anyway."""

BYTES_BESIDE = 8 * 1024
"""What one takes besides its bytes and its address: its headers, in its forms and for some origins."""

Address = tuple[str, str]


@dataclass(frozen=True)
class Kept:
    """An answer, the route that made it, whether it still holds, and how many bytes it takes."""

    answer: ReadyAnswer
    route: str
    is_good: Callable[[], bool]
    size: int
    fields: dict[tuple[Form, str | None], WrittenFields] = field(default_factory=dict)
    """Of each form, for each origin that may read it: the headers with the frame's."""


class ReadyAnswers:
    """A WSGI application in front of the frame, which is asked for all that does not lie ready."""

    def __init__(self, frame: Frame, *, limits: Limits | None) -> None:
        self._frame = frame
        self._limits = limits
        self._guard = threading.Lock()
        self._by_address: FIFOCache[Address, Kept] = FIFOCache(KEPT_BYTES, getsizeof=lambda kept: kept.size)
        self._by_path: dict[str, Kept] = {}

    def keep(self, kept: Kept, *, path: str, query: str | None) -> None:
        """Have this answered to who reads this address; with any query, when ``query`` is None."""
        with self._guard:
            if query is None:
                self._by_path[path] = kept
            elif kept.size <= KEPT_BYTES:
                self._by_address[path, query] = kept

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        kept = self._found(environ)
        if kept is None or (self._limits is not None and not _may_read(self._limits, environ)):
            return self._frame(environ, start_response)
        form = kept.answer.form_for(environ)
        method, request_id = environ["REQUEST_METHOD"], new_request_id()
        seconds = time.perf_counter() - began
        self._frame.notes.add((time.time(), request_id, method, kept.route, form.status, seconds))
        start_response(form.status, self._fields(kept, form, environ).plus(REQUEST_ID, request_id))
        return [form.body] if method == "GET" else []

    def _fields(self, kept: Kept, form: Form, environ: Environ) -> WrittenFields:
        asked = form, self._frame.cors.origin(environ)
        fields = kept.fields.get(asked)
        if fields is None:
            fields = kept.fields[asked] = self._frame.around(form.headers, environ)
        return fields

    def _found(self, environ: Environ) -> Kept | None:
        if environ["REQUEST_METHOD"] not in READING:
            return None
        path = environ["PATH_INFO"]
        kept = self._by_path.get(path) or self._by_address.get((path, environ.get("QUERY_STRING", "")))
        return kept if kept is not None and kept.is_good() else None


def _may_read(limits: Limits, environ: Environ) -> bool:
    try:
        limits.spend_read(environ)
    except TooManyRequests:
        # Refused in the view's own way. It will not be counted there either.
        return False
    return True


def install_ready_answers(app: Flask, frame: Frame, *, limits: Limits | None) -> None:
    """Put ready answers in front of the frame, which is all that the app answers so far."""
    ready = ReadyAnswers(frame, limits=limits)
    app.extensions[EXTENSION] = ready
    app.wsgi_app = ready  # type: ignore[method-assign]


def keep_answer(answer: ReadyAnswer, is_good: Callable[[], bool], *, for_any_query: bool = False) -> None:
    """Keep the answer to the current request for others who ask the same."""
    environ = request.environ
    path, query = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
    size = len(answer.identity) + len(path) + len(query) + BYTES_BESIDE
    cast("ReadyAnswers", current_app.extensions[EXTENSION]).keep(
        Kept(answer, exchange_in(environ).route, is_good, size),
        path=path,
        query=None if for_any_query else query,
    )
