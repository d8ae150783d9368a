"""The background task of the audit trail. Its anchors are appended with the bets (services/log/)."""

from flask import Flask
from prometheus_client import Gauge

from models.audit_trail import AuditEvent
from models.db.connection import reading
from server.realtime.repeated_task import RepeatedTask
from services.audit_trail.settings_changes import record_changes
from services.container import Services


def task(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Record the settings that have changed since the last start, and count the events without an anchor."""
    services: Services = app.extensions["services"]
    registry = app.extensions["metrics"].registry
    waiting = Gauge("audit_events_waiting", "Audit events without an anchor", registry=registry)
    has_recorded = False

    def run() -> None:
        nonlocal has_recorded
        if not has_recorded:
            # In the first round in which the database is available.
            record_changes(services.settings, now=services.clock())
            has_recorded = True
        with reading():
            waiting.set(AuditEvent.select().where(AuditEvent.number.is_null()).count())

    return RepeatedTask(run, every_seconds=every_seconds, on_failure="audit events not counted")
