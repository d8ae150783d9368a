"""Metrics for Prometheus. docs/metrics.md describes all of them."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

from models.battles import BATTLE
from services.bets.terms import GAMES
from services.figures.bet_figures import BetFigures

CENTS_PER_COIN = 100


class Metrics:
    """The counters of one app, since the start of its process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        self.requests = counter("http_requests", "Answers", ["method", "route", "status"])
        self.seconds = Histogram("http_request_seconds", "Time to answer", ["route"], registry=self.registry)
        self.spins = counter("upgrader_spins", "Spins by how they ended", ["outcome"])
        self.openings = counter("case_openings", "Openings by how they ended", ["game", "outcome"])
        self.wagered = self._by_game("bets_wagered_coins", "Wagers of settled bets")
        self.paid = self._by_game("bets_paid_coins", "Payouts of settled bets")
        self.expected = self._by_game(
            "bets_expected_coins", "Mean of the payouts, by the chances of the bets"
        )
        self.variance = self._by_game("bets_variance", "Variance of the payouts, in square coins")
        ProcessCollector(registry=self.registry)

    def count_battle(self, figures: BetFigures) -> None:
        """Count the bets of a battle that this process has settled."""
        self.wagered[BATTLE].inc(figures.wagered / CENTS_PER_COIN)
        self.paid[BATTLE].inc(figures.paid / CENTS_PER_COIN)
        self.expected[BATTLE].inc(figures.expected / CENTS_PER_COIN)
        self.variance[BATTLE].inc(figures.variance / CENTS_PER_COIN**2)

    def _by_game(self, name: str, description: str) -> dict[str, Counter]:
        """A counter for each game, which is 0 from the start. Not looked up by label at each bet: 1 us."""
        counter = Counter(name, description, ["game"], registry=self.registry)
        return {game: counter.labels(game) for game in GAMES}
