"""The background tasks of the back office: alarms, their webhook, and what the house owes."""

import logging

from flask import Flask
from prometheus_client import Gauge

from models.db.connection import database
from server.realtime.repeated_task import RepeatedTask
from services.alarms import raised
from services.alarms.raised import Rule
from services.alarms.rules import RULES
from services.container import Services
from services.figures import liabilities
from services.shared.clock import MINUTE_MS, Millis
from services.shared.lease import Lease

log = logging.getLogger("platform.alarms")


class AlarmChecks:
    """Checks each rule when it is due, in one process, which shows the gauge of the open alarms."""

    def __init__(self, app: Flask) -> None:
        self._services: Services = app.extensions["services"]
        self._gauge = Gauge(
            "alarms_open",
            "Alarms that nobody has acknowledged",
            ["rule"],
            registry=app.extensions["metrics"].registry,
        )
        self.lease = Lease("alarms")
        self._due_at: dict[str, Millis] = {}

    def run(self) -> None:
        """One round. A rule that fails does not keep the others from being checked."""
        if not _is_mine(self.lease):
            self._gauge.clear()
            self._due_at.clear()
            return
        if not self._due_at:
            # What has waited while no process ran is done within seconds after a start.
            first = Millis(self._services.clock() + MINUTE_MS)
            self._due_at = {rule.name: first for rule in RULES}
        for rule in RULES:
            now = self._services.clock()
            if now >= self._due_at[rule.name]:
                self._due_at[rule.name] = Millis(now + rule.every_ms)
                try:
                    self._check(rule, now)
                except Exception:
                    self._due_at[rule.name] = Millis(now + MINUTE_MS)
                    log.exception("alarms of %s not checked", rule.name)
        counts = raised.open_counts()
        for rule in RULES:
            self._gauge.labels(rule.name).set(counts.get(rule.name, 0))

    def _check(self, rule: Rule, now: Millis) -> None:
        services = self._services
        found = rule.find(services.settings, now)
        raised.update(rule, found, is_sent=services.alarm_delivery.is_set, now=now)
        if not found.is_complete:
            self._due_at[rule.name] = now


def checks(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """See ``AlarmChecks``."""
    work = AlarmChecks(app)
    return RepeatedTask(
        work.run, every_seconds=every_seconds, on_failure="alarms not checked", after_stop=work.lease.release
    )


def delivery(app: Flask, *, every_seconds: float) -> RepeatedTask | None:
    """Send alarms, if ALARM_WEBHOOK_URL is set. A slow receiver keeps nothing else waiting."""
    services: Services = app.extensions["services"]
    if not services.alarm_delivery.is_set:
        return None
    return RepeatedTask(
        services.alarm_delivery.run, every_seconds=every_seconds, on_failure="alarms not sent"
    )


def owed(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Store what the house owes, from time to time and at the end of each day. One process does it."""
    services: Services = app.extensions["services"]
    lease = Lease("liabilities")

    def store() -> None:
        if _is_mine(lease):
            liabilities.store_due(now=services.clock())

    return RepeatedTask(
        store, every_seconds=every_seconds, on_failure="liabilities not stored", after_stop=lease.release
    )


def _is_mine(lease: Lease) -> bool:
    """Whether this process does the job. SQLite serves one process, and a lease would be one more write."""
    return not database.is_shared or lease.acquire()
