"""Gauges that are read when /metrics is requested, and a histogram of the event loop's lag."""

import math
import time
from collections.abc import Callable

from flask import Flask
from prometheus_client import CollectorRegistry, Gauge, Histogram

from blueprints.games.proof_delivery import ProofDelivery
from models.db.connection import database
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
    registry = app.extensions["metrics"].registry
    proofs: ProofDelivery = app.extensions["proofs"]

    def gauge(name: str, description: str, read: Callable[[], float]) -> None:
        Gauge(name, description, registry=registry).set_function(read)

    gauge("sockets_open", "Sockets connected now", lambda: len(running.connections))
    gauge("proofs_scheduled", "Bets that are not over yet", lambda: proofs.scheduled)
    gauge("proofs_overdue", "Proofs that wait to be sent although they are due", lambda: proofs.overdue)
    gauge("proofs_unconfirmed", "Proofs that were sent and not confirmed yet", lambda: proofs.unconfirmed)
    gauge("database_pool_size", "Limit of connections, 0 for none", lambda: database.usage().size)
    gauge("database_pool_in_use", "Connections in use", lambda: database.usage().in_use)
    waiting = "Requests and spins that wait for a connection"
    gauge("database_pool_waiting", waiting, lambda: database.usage().waiting)
    _measure_event_loop_lag(running, registry)
