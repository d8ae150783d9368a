"""Metrics for Prometheus. docs/metrics.md describes all of them."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

from services.games.bets import GAMES


class Metrics:
    """The counters of one app, since the start of its process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        self.requests = counter("http_requests", "Answers", ["method", "route", "status"])
        self.seconds = Histogram("http_request_seconds", "Time to answer", ["route"], registry=self.registry)
        self.spins = counter("upgrader_spins", "Spins by how they ended", ["outcome"])
        self.openings = counter("case_openings", "Openings by how they ended", ["game", "outcome"])
        self.wagered = counter("bets_wagered_coins", "Wagers of settled bets", ["game"])
        self.paid = counter("bets_paid_coins", "Payouts of settled bets", ["game"])
        self.expected = counter(
            "bets_expected_coins", "Mean of the payouts, by the chances of the bets", ["game"]
        )
        self.variance = counter("bets_variance", "Variance of the payouts, in square coins", ["game"])
        for of_bets in (self.wagered, self.paid, self.expected, self.variance):
            for game in GAMES:
                # Creates the time series, so that it is 0 from the start.
                of_bets.labels(game)
        ProcessCollector(registry=self.registry)
