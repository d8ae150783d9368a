"""Counters for Prometheus: requests, spins by outcome, open sockets."""

import time
from dataclasses import dataclass
from typing import cast

from flask import Flask, Response, current_app, g, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

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


def install_metrics(app: Flask) -> None:
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

    @app.after_request
    def count(response: Response) -> Response:
        route = request.url_rule.rule if request.url_rule else "unknown"
        method = request.method if request.method in METHODS else "other"
        counted.requests.labels(method, route, response.status_code).inc()
        counted.seconds.labels(route).observe(time.perf_counter() - g.began)
        return response


def count_spin(outcome: str) -> None:
    """One more spin that ended so: won, lost, or the text of the refusal."""
    _metrics().spins.labels(outcome).inc()


def metrics_text() -> Response:
    """All counters as they stand."""
    counted = _metrics()
    counted.sockets.set(len(realtime().connections))
    return Response(generate_latest(counted.registry), content_type=CONTENT_TYPE_LATEST)


def _metrics() -> Metrics:
    return cast("Metrics", current_app.extensions[EXTENSION])
