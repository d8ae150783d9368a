"""Counters for Prometheus: requests, spins by outcome, open sockets."""

from dataclasses import dataclass
from typing import cast

from flask import Flask, Response, current_app
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from server.realtime.server import realtime

EXTENSION = "metrics"


@dataclass(frozen=True)
class Metrics:
    """The counters of one app."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    spins: Counter
    sockets: Gauge

    def count_spin(self, outcome: str) -> None:
        """Count a spin that was won, lost, or refused with this text."""
        self.spins.labels(outcome).inc()


def install_metrics(app: Flask) -> Metrics:
    """Create the counters of this app."""
    registry = CollectorRegistry()
    counted = Metrics(
        registry=registry,
        requests=Counter("http_requests", "Answers", ["method", "route", "status"], registry=registry),
        seconds=Histogram("http_request_seconds", "Time to answer", ["route"], registry=registry),
        spins=Counter("upgrader_spins", "Spins by how they ended", ["outcome"], registry=registry),
        sockets=Gauge("sockets_open", "Sockets connected now", registry=registry),
    )
    app.extensions[EXTENSION] = counted
    return counted


def metrics_text() -> Response:
    """All counters in Prometheus' text format."""
    counted = metrics()
    counted.sockets.set(len(realtime().connections))
    return Response(generate_latest(counted.registry), content_type=CONTENT_TYPE_LATEST)


def metrics() -> Metrics:
    """The counters of the running app."""
    return cast("Metrics", current_app.extensions[EXTENSION])
