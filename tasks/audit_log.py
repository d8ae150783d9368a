"""The background task that appends to the log of the audit trail."""

from itertools import count

from flask import Flask

from server.realtime.repeated_task import RepeatedTask
from services.audit_trail import settings_changes
from services.container import Services

ROUNDS_UNTIL_COUNT = 60
"""Counting a million events takes some milliseconds."""


def task(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Append to the audit log while this server runs, and compare the database with its checkpoint.

    What waits at a stop is appended by another process, or at the next start.
    """
    services: Services = app.extensions["services"]
    has_recorded_changes = False
    rounds = count(1)

    def append() -> None:
        nonlocal has_recorded_changes
        if not has_recorded_changes:
            # In the first round in which the database is available.
            services.audit_keys.store()
            settings_changes.record_changes(services.audit_keys, services.settings, now=services.clock())
            has_recorded_changes = True
        services.audit_log.watch()
        services.audit_log.append_waiting()
        if next(rounds) % ROUNDS_UNTIL_COUNT == 1:
            services.audit_log.count_unlogged()

    return RepeatedTask(append, every_seconds=every_seconds, on_failure="audit trail not logged")
