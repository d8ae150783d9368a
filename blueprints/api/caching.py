"""Caching: ETags, compressed lists, and responses that are cached as bytes until their data changes.

A change by a server process invalidates them when it has been committed, with REDIS_URL in all processes
(services/shared/signals.py). Changes by commands are not noticed, and a signal to another process
may be lost, so a response is cached for one second at most.
"""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, cast

import orjson
from cachetools import TTLCache, cached
from flask import Response, current_app, g, make_response
from werkzeug.datastructures import Headers
from werkzeug.http import generate_etag, parse_etags

from server.http.strict_requests import current_request
from services.shared.background import in_native_thread, in_slices, pause
from services.shared.clock import Millis
from services.shared.locks import BuildCondition
from services.shared.signals import Tag, tag_versions

IMMUTABLE = f"public, max-age={365 * 86_400}, immutable"
"""The Cache-Control of what never changes."""

MAX_SECONDS = 1.0
MAX_BYTES = 32 * 1024 * 1024
ENTRY_OVERHEAD_BYTES = 10 * 1024
"""More than the size of an entry without its response; its URL has 8 KiB at most."""

ROWS_A_SLICE = 100
GZIP_WINDOW = 31
"""zlib's number for a 32 KiB window in a gzip wrapper."""

Key = tuple[str, str, tuple[int, ...]]
"""Path, query, and the versions of the data."""

View = Callable[..., Any]


class ReadyResponse(Response):
    """A response of status 200 whose headers are complete. The framework would copy and check them again."""

    def get_wsgi_headers(self, environ: Any) -> Headers:  # noqa: ARG002  # the framework's
        return self.headers


@dataclass(frozen=True)
class Representation:
    """A response: its bytes, its ETag, and the same bytes compressed if that saves enough."""

    identity: bytes
    etag: str
    gzipped: bytes | None = None
    content_type: str = "application/json"
    cache_control: str = "no-cache"

    def response(self) -> Response:
        """The response to the current request: 304, gzip or identity."""
        # The ETag is weak, because both encodings have the same.
        headers = [("Cache-Control", self.cache_control), ("ETag", f'W/"{self.etag}"')]
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
        return ReadyResponse(body, headers=headers, content_type=self.content_type)


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


class ResponseCache:
    """The cached responses of one app, by path, query and versions of the data."""

    def __init__(self, *, clock: Callable[[], Millis]) -> None:
        """``clock`` tells when responses that change with time end."""
        self._clock = clock
        self._responses: TTLCache[Key, Cached] = TTLCache(MAX_BYTES, MAX_SECONDS, getsizeof=_size)
        self._guard = BuildCondition()
        caching = cached(self._responses, key=lambda key, *_call: key, condition=self._guard)
        self._built = caching(_build)

    def get(self, key: Key, view: View, args: Any, kwargs: Any) -> Representation:
        """The response of this key, by the view called with these arguments unless it is cached."""
        built, until_ms = self._built(key, view, args, kwargs)
        if until_ms is not None and until_ms <= self._clock():
            with self._guard:
                self._responses.pop(key, None)
            built, _ = self._built(key, view, args, kwargs)
        return built


def _build(_key: Key, view: View, args: Any, kwargs: Any) -> Cached:
    g.cached_until_ms = None
    content = make_response(view(*args, **kwargs)).get_data()
    return Representation(content, etag=generate_etag(content)), g.cached_until_ms


def _size(built: Cached) -> int:
    return ENTRY_OVERHEAD_BYTES + len(built[0].identity)


def cached_response(*tags: Tag) -> Callable[[View], Callable[..., Response]]:
    """Cache a view's JSON response, for all requests of the same URL, until one of these tags changes.

    Of concurrent requests the first one runs the view, and the others get its bytes. The view returns a
    response of status 200, or raises an error, which is not cached.
    """

    def decorator(view: View) -> Callable[..., Response]:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Response:
            cache = cast("ResponseCache", current_app.extensions["response_cache"])
            environ = current_request().environ
            # Read before the data, which is at least as new as these versions.
            versions = tag_versions(tags)
            key = environ["PATH_INFO"], environ.get("QUERY_STRING", ""), versions
            return cache.get(key, view, args, kwargs).response()

        return wrapper

    return decorator


def cache_until(at: Millis | None) -> None:
    """Cache the current response until this time at most. None: no other limit than the second."""
    g.cached_until_ms = at


def list_representation(dump: Callable[[Sequence[Any]], list[Any]], rows: Sequence[Any]) -> Representation:
    """Dump rows as a JSON list, in slices so that other greenlets may run, with its ETag and compressed."""
    parts: list[bytes] = []
    for start in in_slices(range(0, len(rows), ROWS_A_SLICE), 1):
        parts += [orjson.dumps(dump(rows[start : start + ROWS_A_SLICE]))[1:-1], b","]
    identity = b"".join([b"[", *parts[:-1], b"]"])
    # Joining the parts takes 10 ms for all cases, and freeing them some more.
    pause()
    return compressed(identity)


def compressed(identity: bytes, **headers: str) -> Representation:
    """These bytes, with their ETag and compressed. ``headers`` are fields of ``Representation``."""
    gzipped = in_native_thread(zlib.compress, identity, wbits=GZIP_WINDOW)
    etag = hashlib.sha256(gzipped).hexdigest()[:32]
    return Representation(identity, gzipped=gzipped, etag=etag, **headers)
