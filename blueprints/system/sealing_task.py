"""The background task that seals the audit trail."""

from flask import Flask

from server.realtime.rounds import repeat
from server.realtime.server import Realtime
from services.audit_trail import settings_changes
from services.audit_trail.sealing import seal_some
from services.container import Services
from services.shared.background import pause

ROUND_SECONDS = 1.0


class SealingTask:
    """One for each process that serves; of all of them one seals at a time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._has_begun = False

    def seal(self) -> None:
        """Seal what waits. What a stop leaves is sealed by another process, or at the next start."""
        if not self._has_begun:
            self._begin()
        while seal_some(self._services.audit_keys):
            pause()

    def _begin(self) -> None:
        """Record what has changed since the last start, once the database can be reached."""
        keys, settings = self._services.audit_keys, self._services.settings
        keys.store()
        settings_changes.record_changes(keys, settings, now=self._services.clock())
        self._has_begun = True


def install_sealing(app: Flask, running: Realtime) -> None:
    """Seal the audit trail from the start of this server on."""
    task = SealingTask(app.extensions["services"])
    repeat(running, task.seal, every_seconds=ROUND_SECONDS, on_failure="audit trail not sealed")
