"""Gauges that are read when /metrics is requested, and a histogram of the event loop's lag."""

import math
import time
from collections.abc import Callable

from flask import Flask
from prometheus_client import CollectorRegistry, Gauge, Histogram

from blueprints.games.proof_delivery import ProofDelivery
from models.db.connection import database
from server.metrics import Metrics
from server.realtime.server import Realtime

LAG_EVERY_SECONDS = 0.5
LAG_BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


def _measure_event_loop_lag(running: Realtime, registry: CollectorRegistry) -> None:
    """Measure how much later than after half a second a task is called again."""
    lag = Histogram(
        "event_loop_lag_seconds",
        "How late a sleeping task is woken",
        buckets=LAG_BUCKETS_SECONDS,
        registry=registry,
    )
    due = math.inf

    def observe() -> None:
        nonlocal due
        now = time.perf_counter()
        lag.observe(max(now - due, 0))
        due = now + LAG_EVERY_SECONDS

    running.repeat(observe, every_seconds=LAG_EVERY_SECONDS, on_failure="event loop lag not measured")


def install_gauges(app: Flask, running: Realtime) -> None:
    """Add the gauges of this server to its metrics. They read memory only, never the database."""
    counted: Metrics = app.extensions["metrics"]
    proofs: ProofDelivery = app.extensions["proofs"]
    gauges: dict[tuple[str, str], Callable[[], float]] = {
        ("sockets_open", "Sockets connected now"): lambda: len(running.connections),
        ("proofs_scheduled", "Bets that are not over yet"): lambda: proofs.scheduled,
        ("proofs_overdue", "Proofs that wait to be sent although they are due"): lambda: proofs.overdue,
        ("proofs_unconfirmed", "Proofs that were sent and not confirmed yet"): lambda: proofs.unconfirmed,
        ("database_pool_size", "Limit of connections, 0 for none"): lambda: database.usage().size,
        ("database_pool_in_use", "Connections in use"): lambda: database.usage().in_use,
        ("database_pool_waiting", "Requests and spins that wait for a connection"): lambda: (
            database.usage().waiting
        ),
    }
    for (name, description), read in gauges.items():
        Gauge(name, description, registry=counted.registry).set_function(read)
    _measure_event_loop_lag(running, counted.registry)
