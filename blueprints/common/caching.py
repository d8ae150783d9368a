"""Caching: ETags, and responses that are kept as bytes while what they show does not change.

A change by this process invalidates them when it has been committed (services/cache_invalidation.py). This
process is not told of a change by another one, such as a command, so a response is cached for one second
at most.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from http import HTTPStatus
from typing import Any, cast

from cachetools import FIFOCache
from flask import Flask, Response, current_app, g, make_response, request
from werkzeug.http import generate_etag

from blueprints.common.platform import platform
from blueprints.common.representation import Representation
from models import patience
from services import cache_invalidation
from services.cache_invalidation import Tag, Versions
from services.clock import Millis

EXTENSION = "response_cache"

MAX_SECONDS = 1.0
MAX_BYTES = 32 * 1024 * 1024
BYTES_BESIDE = 1024
"""What an entry takes besides its bytes and its URL."""

Key = tuple[str, str]
"""Path and query."""

View = Callable[..., Any]


def conditional(view: View) -> Callable[..., Response]:
    """Add an ETag to the view's response unless it has one, and answer a matching If-None-Match with 304."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Response:
        response = make_response(view(*args, **kwargs))
        if response.status_code == HTTPStatus.OK:
            response.add_etag(weak=True)
            response.headers["Cache-Control"] = "no-cache"
            response.make_conditional(request)
        return response

    return wrapper


@dataclass
class CacheValidity:
    """How long a response may be used. Begun before anything that it shows is read."""

    tags: tuple[Tag, ...]
    clock: Callable[[], Millis]
    until: float = field(default_factory=lambda: time.monotonic() + MAX_SECONDS)
    """By the monotonic clock."""
    until_ms: Millis | None = None
    """By the platform's clock, when what is shown changes with time."""
    is_skipped: bool = False
    versions: Versions = field(init=False)

    def __post_init__(self) -> None:
        self.versions = cache_invalidation.versions(self.tags)

    def is_unchanged(self) -> bool:
        """Whether a response that is built now would be the same, as far as this process knows."""
        return (
            not self.is_skipped
            and cache_invalidation.versions(self.tags) == self.versions
            and (self.until_ms is None or self.clock() < self.until_ms)
        )

    def is_fresh(self) -> bool:
        return time.monotonic() < self.until and self.is_unchanged()


@dataclass(frozen=True)
class Entry:
    representation: Representation
    validity: CacheValidity
    size: int


@dataclass(frozen=True)
class Build:
    """A response that is being built. The result is None when it can't be shared."""

    validity: CacheValidity
    result: Future[Representation | None] = field(default_factory=Future)


class ResponseCache:
    """The cached responses of one app, by path and query. The oldest go when there are too many bytes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._entries: FIFOCache[Key, Entry] = FIFOCache(MAX_BYTES, getsizeof=lambda entry: entry.size)
        self._builds: dict[Key, Build] = {}

    def find(self, key: Key) -> Representation | None:
        """What is cached, or built at this moment for somebody else. Waits for the latter."""
        entry = self._entries.get(key)
        if entry is not None and entry.validity.is_fresh():
            return entry.representation
        build = self._builds.get(key)
        if build is None or not build.validity.is_unchanged():
            return None
        with patience.waiting(patience.ANSWER_SECONDS) as seconds:
            try:
                found = build.result.result(seconds)
            except TimeoutError:
                return None
        return found if build.validity.is_unchanged() else None

    @contextmanager
    def building(self, key: Key, validity: CacheValidity) -> Iterator[Build]:
        """Let others who ask for the same wait for the block; it sets the build's result, if there is one."""
        build = Build(validity)
        with self._guard:
            self._builds[key] = build
        try:
            yield build
        finally:
            if not build.result.done():
                build.result.set_result(None)
            with self._guard:
                if self._builds.get(key) is build:
                    del self._builds[key]

    def store(self, key: Key, representation: Representation, validity: CacheValidity) -> None:
        """Keep this for as long as it is valid. What is larger than the whole cache is not kept."""
        size = len(representation.identity) + sum(map(len, key)) + BYTES_BESIDE
        if size <= MAX_BYTES:
            with self._guard:
                self._entries[key] = Entry(representation, validity, size)


def install_response_cache(app: Flask) -> None:
    app.extensions[EXTENSION] = ResponseCache()


def cached_response(*tags: Tag, etag: bool) -> Callable[[View], Callable[..., Response]]:
    """Cache a view's JSON response, for all who ask for the same URL, until one of these tags changes.

    Of requests that come at once the first one runs the view, and the others get its bytes. ``etag`` says
    whether the response has an ETag. Only responses of status 200 are cached.
    """

    def decorator(view: View) -> Callable[..., Response]:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Response:
            cache = cast("ResponseCache", current_app.extensions[EXTENSION])
            key = request.environ["PATH_INFO"], request.environ.get("QUERY_STRING", "")
            found = cache.find(key)
            if found is not None:
                return found.response()
            validity = g.cache_validity = CacheValidity(tags, platform().clock)
            with cache.building(key, validity) as build:
                response = make_response(view(*args, **kwargs))
                if response.status_code != HTTPStatus.OK:
                    return response
                content = response.get_data()
                built = Representation(content, etag=generate_etag(content) if etag else None)
                cache.store(key, built, validity)
                build.result.set_result(built)
                return built.response()

        return wrapper

    return decorator


def cache_until(at: Millis | None) -> None:
    """Cache the current response until this time at most; None for no such time."""
    validity: CacheValidity = g.cache_validity
    validity.until_ms = at


def skip_cache() -> None:
    """Don't cache the current response."""
    validity: CacheValidity = g.cache_validity
    validity.is_skipped = True
