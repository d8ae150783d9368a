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

from models.bets import Bet
from services.fairness import rolls
from services.upgrader.spin import GAME

EXTENSION = "metrics"
CENTS_PER_COIN = 100


@dataclass(frozen=True)
class Metrics:
    """The counters of one app, since the start of its process."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    spins: Counter
    wagered: Counter
    paid: Counter
    expected: Counter
    variance: Counter

    def count_spin(self, outcome: str) -> None:
        """Count a spin that was won, lost, or refused with this text."""
        self.spins.labels(outcome).inc()

    def count_bet(self, bet: Bet) -> None:
        """Count a settled bet's wager and payout, and what the payout was to be expected."""
        chance, price = bet.threshold / rolls.ROLL_RANGE, bet.price_cents / CENTS_PER_COIN
        self.wagered.labels(bet.game).inc(bet.wager_cents / CENTS_PER_COIN)
        self.paid.labels(bet.game).inc(bet.payout_cents / CENTS_PER_COIN)
        self.expected.labels(bet.game).inc(chance * price)
        self.variance.labels(bet.game).inc(chance * (1 - chance) * price**2)


def install_metrics(app: Flask) -> Metrics:
    """Create the counters of this app."""
    registry = CollectorRegistry()

    def of_bets(name: str, description: str) -> Counter:
        counter = Counter(name, description, ["game"], registry=registry)
        # Otherwise Prometheus would not see the first increase.
        counter.labels(GAME)
        return counter

    counted = Metrics(
        registry=registry,
        requests=Counter("http_requests", "Answers", ["method", "route", "status"], registry=registry),
        seconds=Histogram("http_request_seconds", "Time to answer", ["route"], registry=registry),
        spins=Counter("upgrader_spins", "Spins by how they ended", ["outcome"], registry=registry),
        wagered=of_bets("bets_wagered_coins", "Wagers of settled bets"),
        paid=of_bets("bets_paid_coins", "Payouts of settled bets"),
        expected=of_bets("bets_expected_coins", "Mean of the payouts, by the chances of the bets"),
        variance=of_bets("bets_variance", "Variance of the payouts, in square coins"),
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
