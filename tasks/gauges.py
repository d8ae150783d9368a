"""Gauges that are read when /metrics is requested, from memory only, and the lag of the event loop."""

import math
import time
from collections.abc import Callable

from flask import Flask
from prometheus_client import Gauge, Histogram

from models.db.connection import database
from server.realtime.realtime import Realtime
from server.realtime.repeated_task import RepeatedTask
from sockets.proofs import ProofDelivery

BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


def add_gauges(app: Flask) -> None:
    """Add the gauges of this server to its metrics."""
    registry = app.extensions["metrics"].registry
    realtime: Realtime = app.extensions["realtime"]
    proofs: ProofDelivery = app.extensions["proofs"]
    hold, machine = app.extensions["services"].payout_hold, app.extensions["services"].log.machine

    def log_size() -> int:
        return machine.known.checkpoint.size if machine.known else 0

    def log_successors() -> int:
        return len(machine.known.ended) if machine.known else 0

    def gauge(name: str, description: str, read: Callable[[], float]) -> None:
        Gauge(name, description, registry=registry).set_function(read)

    gauge("sockets_open", "Sockets connected now", lambda: len(realtime.connections))
    gauge("proofs_scheduled", "Bets that are not over yet", lambda: proofs.scheduled)
    gauge("proofs_overdue", "Proofs that wait to be sent although they are due", lambda: proofs.overdue)
    gauge("proofs_unconfirmed", "Proofs that were sent and not confirmed yet", lambda: proofs.unconfirmed)
    without_key = "Proofs that are not sent because no key decrypts their seeds"
    gauge("proofs_undecryptable", without_key, lambda: proofs.undecryptable)
    gauge("log_entries", "Entries in the last checkpoint of the public log", log_size)
    gauge("log_successors", "Logs that could not go on after a restore", log_successors)
    gauge("bets_paused", "1 while bets wait for an operator after a restore", lambda: hold.pauses_bets)
    gauge("database_pool_size", "Limit of connections, 0 for none", lambda: database.pool_size)
    gauge("database_pool_in_use", "Connections in use", lambda: database.in_use)
    waiting = "Requests and spins that wait for a connection"
    gauge("database_pool_waiting", waiting, lambda: database.waiters)


def event_loop_lag(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Measure how much later than after this time a task is called again."""
    lag = Histogram(
        "event_loop_lag_seconds",
        "How late a sleeping task is woken",
        buckets=BUCKETS_SECONDS,
        registry=app.extensions["metrics"].registry,
    )
    due = math.inf

    def observe() -> None:
        nonlocal due
        now = time.perf_counter()
        lag.observe(max(now - due, 0))
        due = now + every_seconds

    return RepeatedTask(observe, every_seconds=every_seconds, on_failure="event loop lag not measured")
