"""Connects this process to the others: the tasks for Redis, and the round of every two seconds."""

import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, cast

from flask import Flask
from prometheus_client import CollectorRegistry, Gauge

from models.db import wait_budget
from models.db.connection import SCHEMA_ERRORS, UNAVAILABLE
from server.cluster.cache_tags import CacheTags
from server.cluster.manager import RedisManager
from server.cluster.seed_witness import share_witness
from server.cluster.signals import RedisSignals
from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from services.container import Services
from services.shared.processes import AWAY, OK
from settings import Settings

log = logging.getLogger("platform.cluster")

ROUND_SECONDS = 2.0
"""Time between two rounds, which is the longest delay after a lost signal."""

STOP_SECONDS = 2.0
"""How long a stop waits for the tasks."""


class Cluster:
    """The connection to the other processes. In a command it is created, but not started."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app
        self._address = f"{socket.gethostname()}:{settings.port}"
        self._settings = settings
        self.signals = RedisSignals(settings.redis_url)
        self.manager = RedisManager(self.signals)
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._has_resumed = False
        self._lag_ms = 0
        self._tasks: list[Any] = []

    def install(self, running: Realtime) -> None:
        """Start and stop with this server."""
        self._running = running
        self.signals.subscription.on_message = self.manager.receive
        self.signals.subscription.on_resumed = self._resumed
        running.at_start.append(self.start)
        running.before_close.append(self.close)
        tags = CacheTags(running, self.signals)
        running.at_start.append(tags.start)
        running.before_close.append(tags.close)
        services = self._services
        share_witness(services.seeds.witness, self.signals, services.processes, running)
        self._register_metrics(self._app.extensions["metrics"].registry)

    def _register_metrics(self, registry: CollectorRegistry) -> None:
        publisher, subscription = self.signals.publisher, self.signals.subscription
        for counter in (publisher.sent, publisher.dropped, subscription.interruptions):
            registry.register(counter)
        away = Gauge("redis_away", "1 while the heartbeat through Redis is not heard", registry=registry)
        away.set_function(lambda: self.signals.are_away)
        live = Gauge("processes_live", "Processes that serve, this one included", registry=registry)
        live.set_function(lambda: self._services.processes.live)

    @property
    def _services(self) -> Services:
        return cast("Services", self._app.extensions["services"])

    def start(self) -> None:
        """Raises PoolsTooLarge."""
        try:
            self._services.processes.join(
                address=self._address,
                pool_size=self._settings.database_pool_size,
                settings=self._settings.digest(),
                redis=AWAY,
            )
        except (*SCHEMA_ERRORS, *UNAVAILABLE) as failure:
            # As without Redis, the process starts; /readyz says that the database is unavailable.
            log.warning("pools not checked", extra={"failure": safe_exception_summary(failure)})
        for task in (self.signals.publisher.run, self.signals.subscription.run, self._run_rounds):
            self._tasks.append(self._running.socketio.start_background_task(self._in_app, task))

    def close(self) -> None:
        """Send what is waiting, and end. Does nothing before ``start``."""
        if not self._tasks:
            return
        self.signals.publisher.close()
        self.signals.subscription.close()
        self._stop.set()
        self._wake.set()
        deadline = time.monotonic() + STOP_SECONDS
        for task in self._tasks:
            task.join(max(deadline - time.monotonic(), 0))
        try:
            self._services.processes.leave()
        except (*SCHEMA_ERRORS, *UNAVAILABLE) as failure:
            # The others will find that it is dead.
            log.warning("process not removed", extra={"failure": safe_exception_summary(failure)})

    def _in_app(self, task: Callable[[], None]) -> None:
        with self._app.app_context():
            task()

    def _resumed(self) -> None:
        self._has_resumed = True
        self._wake.set()

    def _run_rounds(self) -> None:
        while not self._stop.is_set():
            if self._has_resumed:
                self._has_resumed = False
                self._call_each(self.signals.on_resumed)
            self._call_each([self._renew, *self._running.every_two_seconds])
            began = time.monotonic()
            was_woken = self._wake.wait(ROUND_SECONDS)
            self._wake.clear()
            late = time.monotonic() - began - ROUND_SECONDS
            self._lag_ms = 0 if was_woken else max(int(late * 1000), 0)

    def _renew(self) -> None:
        redis = AWAY if self.signals.are_away else OK
        self._services.processes.renew(
            sockets=len(self._running.connections), lag_ms=self._lag_ms, redis=redis
        )

    def _call_each(self, functions: list[Callable[[], None]]) -> None:
        for function in functions:
            try:
                with wait_budget.limit_waits():
                    function()
            except Exception as failure:  # noqa: BLE001  # the next round tries again
                log.error("round failed", extra={"failure": safe_exception_summary(failure)})  # noqa: TRY400
