"""Counters for Prometheus: requests, spins by outcome, open sockets."""

from collections.abc import Sequence
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

from blueprints.common.notes import notes
from blueprints.realtime.outgoing import SPIN
from blueprints.realtime.server import realtime

EXTENSION = "metrics"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@dataclass(frozen=True)
class Metrics:
    """The counters of one app."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    spins: Counter
    sockets: Gauge

    def count_answers(self, method: str, route: str, status: int, seconds: Sequence[float]) -> None:
        """Some more, given what each took. A method that a client has made up is one of the others."""
        self.requests.labels(method if method in METHODS else "other", route, status).inc(len(seconds))
        times = self.seconds.labels(route)
        for each in seconds:
            times.observe(each)

    def count_event(self, name: str, outcome: str) -> None:
        """One more event, which ended so: won, lost, or the text of the refusal."""
        if name == SPIN:
            self.spins.labels(outcome).inc()


def install_metrics(app: Flask) -> Metrics:
    """Count what this app answers."""
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
    """All counters as they stand."""
    counted = _metrics()
    notes().write_down()
    counted.sockets.set(len(realtime().connections))
    return Response(generate_latest(counted.registry), content_type=CONTENT_TYPE_LATEST)


def _metrics() -> Metrics:
    return cast("Metrics", current_app.extensions[EXTENSION])
