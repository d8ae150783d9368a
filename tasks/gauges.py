"""Gauges that are read when /metrics is requested. They read memory only, never the database."""

from collections.abc import Callable

from flask import Flask
from prometheus_client import Gauge

from models.db.connection import database
from server.realtime.server import Realtime
from sockets.proofs import ProofDelivery


def add_gauges(app: Flask) -> None:
    """Add the gauges of this server to its metrics."""
    registry = app.extensions["metrics"].registry
    running: Realtime = app.extensions["realtime"]
    proofs: ProofDelivery = app.extensions["proofs"]
    hold, machine = app.extensions["services"].payout_hold, app.extensions["services"].log.machine

    def log_size() -> int:
        return machine.known.checkpoint.size if machine.known else 0

    def log_successors() -> int:
        return len(machine.known.ended) if machine.known else 0

    def gauge(name: str, description: str, read: Callable[[], float]) -> None:
        Gauge(name, description, registry=registry).set_function(read)

    gauge("sockets_open", "Sockets connected now", lambda: len(running.connections))
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
