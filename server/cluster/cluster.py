"""Connects this process to the others: the tasks for Redis, and its row in the list of processes."""

import logging
import math
import socket
import time
from collections.abc import Callable
from typing import Any

from flask import Flask
from prometheus_client import CollectorRegistry, Gauge

from models.db.connection import SCHEMA_ERRORS, UNAVAILABLE
from server.cluster.signals import RedisSignals
from server.realtime.repeated_task import RepeatedTask
from server.realtime.server import Realtime
from services.container import Services
from services.shared import cache_invalidation
from services.shared.cache_invalidation import Tag
from services.shared.database_clock import DatabaseClock
from services.shared.processes import AWAY, OK, live_processes
from services.shared.signals import Signal
from settings import Settings

log = logging.getLogger("platform.cluster")

ROUND_SECONDS = 2.0
"""Time between two rounds, which is the longest delay after a lost signal."""


class Cluster:
    """The connection to the other processes. In a command it is created, but not started."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app
        self._address = f"{socket.gethostname()}:{settings.port}"
        self._settings = settings
        self.signals = RedisSignals(settings.redis_url)
        self._round_is_due_at = math.inf

    def install(self, running: Realtime) -> None:
        """Let this connection start and stop with this server."""
        self._running = running
        self._services: Services = self._app.extensions["services"]
        self.tasks = [*self.signals.tasks(), self._round(self._renew)]
        self.signals.on(Signal.CACHE, _invalidate)
        self._share_seed_witness(running)
        self._register_metrics(self._app.extensions["metrics"].registry)

    def _round(self, work: Callable[[], None]) -> RepeatedTask:
        return RepeatedTask(work, every_seconds=ROUND_SECONDS, on_failure="round failed")

    def _publish_change(self, tag: Tag) -> None:
        self.signals.publish(Signal.CACHE, {"tags": [tag]})

    def _share_seed_witness(self, running: Realtime) -> None:
        """Check the database every two seconds, and answer machines that have no record of it."""
        witness, this_process = self._services.seeds.witness, self._services.processes

        def ask_for_mark() -> bool:
            self.signals.publish(Signal.SEED_MARK, None)
            return any(process.id != this_process.id for process in live_processes())

        witness.ask_for_mark = ask_for_mark
        self.signals.on(Signal.SEED_MARK, lambda _payload: running.in_background(witness.vouch))
        self.tasks.append(self._round(witness.watch))
        clock = self._services.clock
        if isinstance(clock, DatabaseClock):
            self.tasks.append(self._round(clock.read))

    def _register_metrics(self, registry: CollectorRegistry) -> None:
        for counter in (self.signals.sent, self.signals.dropped, self.signals.subscription.interruptions):
            registry.register(counter)
        away = Gauge("redis_away", "1 while the heartbeat through Redis is not heard", registry=registry)
        away.set_function(lambda: self.signals.are_away)
        live = Gauge("processes_live", "Processes that serve, this one included", registry=registry)
        live.set_function(lambda: self._services.processes.live)

    def join(self) -> None:
        """Join the other processes.

        Raises OperatorError when the connection pools of all processes together are too large.
        """
        try:
            self._services.processes.join(
                address=self._address,
                pool_size=self._settings.database_pool_size,
                settings=self._settings.digest(),
            )
        except (*SCHEMA_ERRORS, *UNAVAILABLE):
            # As without Redis, the process starts; /readyz says that the database is unavailable.
            log.warning("pools not checked", exc_info=True)
        cache_invalidation.on_change.append(self._publish_change)

    def leave(self) -> None:
        """Leave the other processes. Does nothing before ``join``, and the second time."""
        if self._publish_change not in cache_invalidation.on_change:
            return
        cache_invalidation.on_change.remove(self._publish_change)
        try:
            self._services.processes.leave()
        except (*SCHEMA_ERRORS, *UNAVAILABLE):
            # The others will find that it is dead.
            log.warning("process not removed", exc_info=True)

    def _renew(self) -> None:
        late_ms = max((time.monotonic() - self._round_is_due_at) * 1000, 0)
        redis = AWAY if self.signals.are_away else OK
        sockets = len(self._running.connections)
        self._services.processes.renew(sockets=sockets, lag_ms=int(late_ms), redis=redis)
        self._round_is_due_at = time.monotonic() + ROUND_SECONDS


def _invalidate(payload: Any) -> None:
    """Invalidate the cached responses whose data another process has changed."""
    # A process of another version may have other tags.
    for tag in set(Tag).intersection(payload["tags"]):
        cache_invalidation.invalidate_here(tag)
