"""Caching: ETags, and responses that are cached as bytes until their data changes.

A change by a server process invalidates them when it has been committed, with REDIS_URL in all processes
(services/shared/cache_invalidation.py). Changes by commands are not noticed, and a signal to another process
may be lost, so a response is cached for one second at most.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, cast
from weakref import WeakValueDictionary

import peewee
from cachetools import TTLCache
from flask import Response, current_app, g, make_response
from werkzeug.http import generate_etag, parse_etags

from models.db import waiting
from server.http.strict_requests import current_request
from services.shared import cache_invalidation
from services.shared.cache_invalidation import Tag
from services.shared.clock import Millis

MAX_SECONDS = 1.0
MAX_BYTES = 32 * 1024 * 1024
ENTRY_OVERHEAD_BYTES = 10 * 1024
"""More than the size of an entry without its response; its URL has 8 KiB at most."""

Key = tuple[str, str, tuple[int, ...]]
"""Path, query, and the versions of the data."""

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


Cached = tuple[Representation, Millis | None]
"""A response, and when it ends by the platform's clock if it changes with time."""


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


class BuildCondition(threading.Condition):
    """The condition of ``cachetools.cached``, with a bounded wait for what another request builds."""

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002  # the library gives none
        """Raises OperationalError when the wait budget of this request is spent."""
        with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
            if not super().wait(seconds):
                raise peewee.OperationalError("the response was not built in time")
        return True


class ResponseCache:
    """The cached responses of one app, by path, query and versions of the data."""

    def __init__(self, *, clock: Callable[[], Millis]) -> None:
        """``clock`` tells when responses that change with time end."""
        self._clock = clock
        self._guard = threading.Lock()
        self._responses: TTLCache[Key, Cached] = TTLCache(MAX_BYTES, MAX_SECONDS, getsizeof=_size)
        self._building: WeakValueDictionary[Key, threading.Event] = WeakValueDictionary()

    def find(self, key: Key) -> Representation | None:
        with self._guard:
            built, until_ms = self._responses.get(key, (None, None))
        return built if until_ms is None or self._clock() < until_ms else None

    def add(self, key: Key, built: Representation, *, until_ms: Millis | None) -> None:
        """Cache a response, unless it is larger than the cache."""
        with self._guard, suppress(ValueError):
            self._responses[key] = built, until_ms

    @contextmanager
    def building(self, key: Key) -> Iterator[None]:
        """Build this response in the block. The first caller begins at once, the others when it has ended."""
        own = threading.Event()
        ended = self._building.setdefault(key, own)
        if ended is not own:
            with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
                ended.wait(seconds)
        try:
            yield
        finally:
            own.set()


def _size(cached: Cached) -> int:
    return ENTRY_OVERHEAD_BYTES + len(cached[0].identity)


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
            # Read before the data, which is at least as new as these versions.
            versions = cache_invalidation.versions(tags)
            key = environ["PATH_INFO"], environ.get("QUERY_STRING", ""), versions
            built = cache.find(key)
            if built is None:
                with cache.building(key):
                    built = cache.find(key)
                    if built is None:
                        g.cached_until_ms = None
                        response = make_response(view(*args, **kwargs))
                        if response.status_code != HTTPStatus.OK:
                            return response
                        content = response.get_data()
                        built = Representation(content, etag=generate_etag(content))
                        cache.add(key, built, until_ms=g.cached_until_ms)
            return built.response()

        return wrapper

    return decorator


def cache_until(at: Millis | None) -> None:
    """Cache the current response until this time at most. None: no other limit than the second."""
    g.cached_until_ms = at


def skip_cache() -> None:
    """Don't cache the current response."""
    cache_until(Millis(0))
