"""The background tasks of witnesses: one for each, in one process of all."""

from functools import partial

from flask import Flask
from prometheus_client import CollectorRegistry, Gauge

from models.db.connection import database
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.shared.lease import Lease
from services.witnesses import freshness
from services.witnesses.service import SUBMITTED_EVERY_SECONDS, Witness, Witnesses

HELD_EVERY_SECONDS = 3.0

STOP_SECONDS = 0.1
"""A witness may hold its answer for seconds. What it answers after the stop is a conflict later."""


def tasks(app: Flask) -> list[RepeatedTask]:
    """All tasks of witnesses; none without witnesses."""
    services: Services = app.extensions["services"]
    witnesses = services.witnesses
    waits = _add_metrics(witnesses, app.extensions["metrics"].registry)
    if not witnesses.all:
        return []
    lease = Lease("witnesses")

    def hold() -> None:
        waits.set(freshness.freshness(now=services.clock()).waits_ms / 1_000)
        # SQLite serves one process, and a lease would be one more write.
        if not database.is_shared or lease.acquire():
            witnesses.delete_old()

    holding = RepeatedTask(
        hold,
        every_seconds=HELD_EVERY_SECONDS,
        on_failure="witnesses not looked at",
        after_stop=lease.release,
    )
    return [holding, *(_submitting(each, witnesses, lease) for each in witnesses.all)]


def _submitting(witness: Witness, witnesses: Witnesses, lease: Lease) -> RepeatedTask:
    def submit() -> None:
        if not database.is_shared or lease.is_held:
            witnesses.submit(witness)
        task.every_seconds = witness.pause_seconds

    task = RepeatedTask(
        submit,
        every_seconds=SUBMITTED_EVERY_SECONDS,
        on_failure="checkpoint not submitted",
        stop_seconds=STOP_SECONDS,
    )
    return task


def _add_metrics(witnesses: Witnesses, registry: CollectorRegistry) -> Gauge:
    """The metrics; returns that of how long entries have waited."""
    failing = Gauge(
        "witness_failures", "Submissions in a row without a cosignature", ["witness"], registry=registry
    )
    for witness in witnesses.all:
        failing.labels(witness.key.name).set_function(partial(_failures, witness))
    return Gauge("log_unwitnessed_seconds", "How long entries have waited to be witnessed", registry=registry)


def _failures(witness: Witness) -> int:
    return witness.failures
