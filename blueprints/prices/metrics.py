"""Counters of the price sources for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.prices.results import Outcome, RefreshResult, SourceState

COUNTED = ("updated", "unchanged", "held_back", "missing")


class PriceMetrics:
    """What the sources have brought, and how they are doing; nothing of a source that is not set."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._turns = Counter(
            "price_turns",
            "Turns of the feed and asks of the market, by how they ended",
            ["source", "outcome"],
            registry=registry,
        )
        self._items = Counter(
            "price_items", "Items by what became of their price", ["source", "outcome"], registry=registry
        )
        self._held_back = Gauge(
            "price_items_held_back",
            "Items whose price the last turn held back",
            ["source"],
            registry=registry,
        )
        self._succeeded = Gauge(
            "price_last_success_seconds",
            "Unix time of the last turn that went well",
            ["source"],
            registry=registry,
        )
        self._paused = Gauge(
            "price_source_paused",
            "1 while a source that keeps failing is left alone",
            ["source"],
            registry=registry,
        )

    def count(self, result: RefreshResult) -> None:
        """One more turn that is over."""
        self._turns.labels(result.source, result.outcome).inc()
        for outcome in COUNTED:
            self._items.labels(result.source, outcome).inc(getattr(result.counts, outcome))
        if result.outcome is Outcome.APPLIED:
            self._held_back.labels(result.source).set(result.counts.held_back)

    def show(self, states: list[SourceState]) -> None:
        """How the sources are doing now."""
        for state in states:
            self._paused.labels(state.source).set(state.is_paused)
            if state.succeeded_at_ms is not None:
                self._succeeded.labels(state.source).set(state.succeeded_at_ms / 1000)
