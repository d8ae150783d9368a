"""The background task that seals the audit trail."""

from flask import Flask

from server.realtime.repeated_task import RepeatedTask
from services.audit_trail import settings_changes
from services.audit_trail.sealing import seal_some
from services.container import Services
from services.shared.background import pause


def task(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Seal the audit trail while this server runs. One process seals at a time.

    Events that are unsealed at a stop are sealed by another process, or at the next start.
    """
    services: Services = app.extensions["services"]
    has_recorded_changes = False

    def seal() -> None:
        nonlocal has_recorded_changes
        keys = services.audit_keys
        if not has_recorded_changes:
            # In the first round in which the database is available.
            keys.store()
            settings_changes.record_changes(keys, services.settings, now=services.clock())
            has_recorded_changes = True
        while seal_some(keys):
            pause()

    return RepeatedTask(seal, every_seconds=every_seconds, on_failure="audit trail not sealed")
