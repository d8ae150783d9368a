"""Caches the pictures of shared bets."""

from cachetools import LRUCache, cachedmethod

from services.shared.background import WorkerPool
from services.shared.locks import BuildCondition
from services.shared_bets.picture import PictureContent, draw

MAX_BYTES = 16 * 1024 * 1024
"""About 150 pictures. nginx may keep more (deploy/nginx.conf)."""


class Pictures:
    """Draws pictures in a native thread, one at a time: each takes some 50 ms of CPU."""

    def __init__(self, worker_pool: WorkerPool) -> None:
        self._worker_pool = worker_pool
        self._cache: LRUCache[PictureContent, bytes] = LRUCache(MAX_BYTES, getsizeof=len)
        self._guard = BuildCondition()

    @cachedmethod(lambda self: self._cache, condition=lambda self: self._guard)
    def of(self, content: PictureContent) -> bytes:
        """The picture as PNG. Raises Unavailable when too many are waited for."""
        return self._worker_pool.run(draw, content)
