"""One process among several: its tasks for Redis, and its round of every two seconds."""

import logging
import threading
from collections.abc import Callable
from typing import Any

from flask import Flask

from models.db import wait_budget
from server.cluster.manager import RedisManager
from server.cluster.signals import RedisSignals
from server.realtime.server import Realtime
from server.redaction import safe_exception_summary

log = logging.getLogger("platform.cluster")

ROUND_SECONDS = 2.0
"""A lost signal delays what it says by this time."""

STOP_SECONDS = 2.0
"""How long a stop waits for each task."""


class Cluster:
    """Starts and stops with the server. Commands have one too, which never starts."""

    def __init__(self, app: Flask, url: str) -> None:
        self._app = app
        self.signals = RedisSignals(url)
        self.manager = RedisManager(self.signals)
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._has_resumed = False
        self._tasks: list[Any] = []

    def install(self, running: Realtime) -> None:
        """Start and stop with this server."""
        self._running = running
        self.signals.subscription.on_message = self.manager.receive
        self.signals.subscription.on_resumed = self._resumed
        running.at_start.append(self.start)
        running.before_close.append(self.close)

    def start(self) -> None:
        for task in (self.signals.outbox.run, self.signals.subscription.run, self._run_rounds):
            self._tasks.append(self._running.socketio.start_background_task(self._in_app, task))

    def close(self) -> None:
        """Send what is waiting, and end."""
        self.signals.outbox.close()
        self.signals.subscription.close()
        self._stop.set()
        self._wake.set()
        for task in self._tasks:
            task.join(STOP_SECONDS)

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
            self._call_each(self._running.every_two_seconds)
            self._wake.wait(ROUND_SECONDS)
            self._wake.clear()

    def _call_each(self, functions: list[Callable[[], None]]) -> None:
        for function in functions:
            try:
                with wait_budget.limit_waits():
                    function()
            except Exception as failure:  # noqa: BLE001  # the next round tries again
                log.error("round failed", extra={"failure": safe_exception_summary(failure)})  # noqa: TRY400
