"""Metrics for Prometheus. docs/metrics.md describes all of them."""

from dataclasses import dataclass
from typing import cast

from flask import Flask, Response, current_app
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from services.games.bets import GAMES

EXTENSION = "metrics"


@dataclass(frozen=True)
class BetCounters:
    """The counters of one game's bets, whose labels need not be looked up for each bet."""

    wagered: Counter
    paid: Counter
    expected: Counter
    variance: Counter


@dataclass(frozen=True)
class Metrics:
    """The counters of one app, since the start of its process."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    spins: Counter
    openings: Counter
    bets: dict[str, BetCounters]
    """By game."""


def install_metrics(app: Flask) -> Metrics:
    """Create the counters of this app."""
    registry = CollectorRegistry()

    of_bets = [
        Counter(name, description, ["game"], registry=registry)
        for name, description in (
            ("bets_wagered_coins", "Wagers of settled bets"),
            ("bets_paid_coins", "Payouts of settled bets"),
            ("bets_expected_coins", "Mean of the payouts, by the chances of the bets"),
            ("bets_variance", "Variance of the payouts, in square coins"),
        )
    ]
    counted = Metrics(
        registry=registry,
        requests=Counter("http_requests", "Answers", ["method", "route", "status"], registry=registry),
        seconds=Histogram("http_request_seconds", "Time to answer", ["route"], registry=registry),
        spins=Counter("upgrader_spins", "Spins by how they ended", ["outcome"], registry=registry),
        openings=Counter(
            "case_openings", "Openings by how they ended", ["game", "outcome"], registry=registry
        ),
        bets={game: BetCounters(*(counter.labels(game) for counter in of_bets)) for game in GAMES},
    )
    ProcessCollector(registry=registry)
    app.extensions[EXTENSION] = counted
    return counted


def metrics_text() -> Response:
    """All metrics in Prometheus' text format."""
    return Response(generate_latest(metrics().registry), content_type=CONTENT_TYPE_LATEST)


def metrics() -> Metrics:
    """The counters of the running app."""
    return cast("Metrics", current_app.extensions[EXTENSION])
