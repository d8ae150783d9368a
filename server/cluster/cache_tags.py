"""Invalidates the cached responses of all processes when one of them changes data."""

import time
from typing import Any

from server.realtime.server import Realtime
from services.shared import cache_invalidation
from services.shared.cache_invalidation import Tag
from services.shared.signals import Signal, Signals

PAUSE_SECONDS = 0.05
"""Time between two messages. Each spin changes a tag; the messages stay few all the same."""


class CacheTags:
    """Publishes the tags that this process invalidates, and invalidates those of other processes."""

    def __init__(self, running: Realtime, signals: Signals) -> None:
        self._running = running
        self._signals = signals
        self._changed: set[Tag] = set()
        self._is_publishing = False
        signals.on(Signal.CACHE, self._receive)

    def start(self) -> None:
        cache_invalidation.on_change.append(self._add)

    def close(self) -> None:
        """Does nothing before ``start``."""
        if self._add in cache_invalidation.on_change:
            cache_invalidation.on_change.remove(self._add)

    def _add(self, tag: Tag) -> None:
        self._changed.add(tag)
        if not self._is_publishing:
            self._is_publishing = True
            self._running.in_background(self._publish)

    def _publish(self) -> None:
        """Publish what has changed, then together what changes during each pause, until nothing does."""
        try:
            while self._changed:
                tags, self._changed = self._changed, set()
                self._signals.publish(Signal.CACHE, {"tags": sorted(tags)})
                time.sleep(PAUSE_SECONDS)
        finally:
            self._is_publishing = False

    def _receive(self, payload: Any) -> None:
        # A process of another version may have other tags.
        for tag in set(Tag).intersection(payload["tags"]):
            cache_invalidation.invalidate_here(tag)
