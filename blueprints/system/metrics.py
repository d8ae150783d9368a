"""Counters for Prometheus: requests, spins by outcome, open sockets."""

from dataclasses import dataclass, field
from typing import Any, cast

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

Labels = tuple[str, str, int]


@dataclass(frozen=True)
class Metrics:
    """The counters of one app."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    spins: Counter
    sockets: Gauge

    _of_labels: dict[Labels, tuple[Any, Any]] = field(default_factory=dict)

    def count_answer(self, method: str, route: str, status: int, seconds: float) -> None:
        """One more answer. A method that a client has made up is one of the others."""
        labels = (method if method in METHODS else "other", route, status)
        # The library takes 3 µs to find the two of these labels, every time.
        if labels not in self._of_labels:
            self._of_labels[labels] = self.requests.labels(*labels), self.seconds.labels(route)
        answers, times = self._of_labels[labels]
        answers.inc()
        times.observe(seconds)

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
