"""The background task that seals the audit trail."""

import logging
import threading
from typing import Any

from flask import Flask

from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from services.audit_trail import settings_changes
from services.audit_trail.sealing import seal_some
from services.container import Services
from services.shared.background import pause

log = logging.getLogger("platform.audit")

ROUND_SECONDS = 1.0
STOP_SECONDS = 2.0
"""How long a stop waits for the running round."""


class SealingTask:
    """One task for each process that serves; of all of them one seals at a time."""

    def __init__(self, running: Realtime, services: Services) -> None:
        self._running = running
        self._services = services
        self._stopping = threading.Event()
        self._has_begun = False
        self._has_failed = False
        self._task: Any = None

    def start(self) -> None:
        self._task = self._running.socketio.start_background_task(self._run)

    def close(self) -> None:
        """Stop. What is not sealed is sealed by another process, or at the next start."""
        self._stopping.set()
        if self._task is not None:
            self._task.join(STOP_SECONDS)

    def _run(self) -> None:
        self._round()
        while not self._stopping.wait(ROUND_SECONDS):
            self._round()

    def _round(self) -> None:
        try:
            if not self._has_begun:
                self._begin()
            while not self._stopping.is_set() and seal_some(self._services.audit_keys):
                pause()
            self._has_failed = False
        except Exception as failure:  # noqa: BLE001  # the next round tries again
            if not self._has_failed:
                log.error("audit trail not sealed", extra={"failure": safe_exception_summary(failure)})  # noqa: TRY400
            self._has_failed = True

    def _begin(self) -> None:
        """Record what has changed since the last start, once the database can be reached."""
        self._services.audit_keys.store()
        settings_changes.record_changes(
            self._services.audit_keys, self._services.settings, now=self._services.clock()
        )
        self._has_begun = True


def install_sealing(app: Flask, running: Realtime) -> None:
    """Give this app its sealing task, which starts with the server."""
    task = SealingTask(running, app.extensions["services"])
    running.at_start.append(task.start)
    running.before_close.append(task.close)
