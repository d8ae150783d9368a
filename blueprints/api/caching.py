"""Caching: ETags, and responses that are cached as bytes until their data changes.

A change by a server process invalidates them when it has been committed, with REDIS_URL in all processes
(services/shared/cache_invalidation.py). Changes by commands are not noticed, and a signal to another process
may be lost, so a response is cached for one second at most.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, cast

from cachetools import FIFOCache
from flask import Response, current_app, g, make_response
from werkzeug.http import generate_etag, parse_etags

from models.db import waiting
from server.current_services import get_services
from server.http.strict_requests import current_request
from services.shared import cache_invalidation
from services.shared.cache_invalidation import Tag
from services.shared.clock import Millis

MAX_SECONDS = 1.0
MAX_BYTES = 32 * 1024 * 1024
ENTRY_OVERHEAD_BYTES = 1024
"""The size of an entry without its URL and its response."""

Key = tuple[str, str]
"""Path and query."""

View = Callable[..., Any]


@dataclass(frozen=True)
class Representation:
    """A JSON response: its bytes, its ETag, and the same bytes compressed if that saves enough."""

    identity: bytes
    etag: str
    gzipped: bytes | None = None

    def response(self) -> Response:
        """The response to the current request: 304, gzip or identity."""
        # The ETag is weak, because both encodings have the same.
        headers = [("Cache-Control", "no-cache"), ("ETag", f'W/"{self.etag}"')]
        if self.gzipped is not None:
            headers.append(("Vary", "Accept-Encoding"))
        request = current_request()
        sent = request.environ.get("HTTP_IF_NONE_MATCH")
        if sent and parse_etags(sent).contains_weak(self.etag):
            return Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        body = self.identity
        if self.gzipped is not None and request.accept_encodings["gzip"] > 0:
            body = self.gzipped
            headers.append(("Content-Encoding", "gzip"))
        return Response(body, headers=headers, content_type="application/json")


def conditional(view: View) -> Callable[..., Response]:
    """Add an ETag to the view's response unless it has one, and answer a matching If-None-Match with 304."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Response:
        response = make_response(view(*args, **kwargs))
        if response.status_code == HTTPStatus.OK:
            response.add_etag(weak=True)
            response.headers["Cache-Control"] = "no-cache"
            response.make_conditional(current_request())
        return response

    return wrapper


class Entry:
    """A response that is cached or being built. Create it before reading anything that the response shows."""

    def __init__(self, key: Key, tags: tuple[Tag, ...], clock: Callable[[], Millis]) -> None:
        self.key = key
        self.built: Representation | None = None
        """Stays None when the response can't be shared."""
        self.until_ms: Millis | None = None
        """By the platform's clock, when what is shown changes with time."""
        self.is_skipped = False
        self._until = time.monotonic() + MAX_SECONDS
        self.is_finished = threading.Event()
        self._clock = clock
        self._tags = tags
        self._versions = cache_invalidation.versions(tags)

    def representation(self) -> Representation | None:
        """The response, if it is valid. Waits while it is being built."""
        if not self._is_unchanged():
            return None
        if self.is_finished.is_set():
            return self.built if time.monotonic() < self._until else None
        with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
            self.is_finished.wait(seconds)
        return self.built if self._is_unchanged() else None

    def size(self) -> int:
        """In bytes; those of the response count when it is built."""
        content = self.built.identity if self.built else b""
        return ENTRY_OVERHEAD_BYTES + sum(map(len, self.key)) + len(content)

    def _is_unchanged(self) -> bool:
        """Whether a response that is built now would be the same, as far as this process knows."""
        return (
            not self.is_skipped
            and cache_invalidation.versions(self._tags) == self._versions
            and (self.until_ms is None or self._clock() < self.until_ms)
        )


class ResponseCache:
    """The cached responses of one app, by path and query. When they exceed a size, the oldest are dropped."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._entries: FIFOCache[Key, Entry] = FIFOCache(MAX_BYTES, getsizeof=Entry.size)

    def find(self, key: Key) -> Entry | None:
        with self._guard:
            return self._entries.get(key)

    def begin(self, entry: Entry) -> None:
        """Add an entry whose response is being built; other requests of its URL wait for it."""
        with self._guard:
            self._entries[entry.key] = entry

    def end(self, entry: Entry, built: Representation | None) -> None:
        """Give the response to the waiting requests, and cache it unless it is None."""
        entry.built = built
        entry.is_finished.set()
        with self._guard:
            if self._entries.get(entry.key) is entry:
                del self._entries[entry.key]
                if built is not None and entry.size() <= MAX_BYTES:
                    self._entries[entry.key] = entry


def cached_response(*tags: Tag) -> Callable[[View], Callable[..., Response]]:
    """Cache a view's JSON response, for all requests of the same URL, until one of these tags changes.

    Of concurrent requests the first one runs the view, and the others get its bytes. Only responses of
    status 200 are cached.
    """

    def decorator(view: View) -> Callable[..., Response]:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Response:
            cache = cast("ResponseCache", current_app.extensions["response_cache"])
            environ = current_request().environ
            key = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
            entry = cache.find(key)
            built = entry.representation() if entry else None
            if built is not None:
                return built.response()
            entry = g.cache_entry = Entry(key, tags, get_services().clock)
            cache.begin(entry)
            try:
                response = make_response(view(*args, **kwargs))
                if response.status_code == HTTPStatus.OK:
                    content = response.get_data()
                    built = Representation(content, etag=generate_etag(content))
            finally:
                cache.end(entry, built)
            return built.response() if built else response

        return wrapper

    return decorator


def cache_until(at: Millis | None) -> None:
    """Cache the current response until this time at most. None: no other limit than the second."""
    entry: Entry = g.cache_entry
    entry.until_ms = at


def skip_cache() -> None:
    """Don't cache the current response."""
    entry: Entry = g.cache_entry
    entry.is_skipped = True
