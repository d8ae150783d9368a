"""Counters of the price sources for Prometheus."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge

from models.items import PriceSource
from services.items.prices.sources import RefreshOutcome, RefreshResult

COUNTED = ("updated", "unchanged", "held_back", "missing")


class PriceMetrics:
    """The results and the state of the sources that are set."""

    def __init__(self, registry: CollectorRegistry) -> None:
        counter = partial(Counter, labelnames=["source", "outcome"], registry=registry)
        gauge = partial(Gauge, labelnames=["source"], registry=registry)
        self._refreshes = counter(
            "price_refreshes", "Refreshes from the feed and requests to the market, by outcome"
        )
        self._items = counter("price_items", "Items by what a refresh did to their price")
        self._held_back = gauge("price_items_held_back", "Items whose price the last refresh held back")
        self._succeeded = gauge("price_last_success_seconds", "Unix time of the last refresh that succeeded")
        self._paused = gauge("price_source_paused", "1 from a failure of the source until its next success")
        self._leader = Gauge("price_leader", "1 if this process refreshes the prices", registry=registry)

    def lead(self, *, is_leader: bool) -> None:
        """Show whether this process refreshes the prices. The leader knows which prices are held back."""
        self._leader.set(is_leader)
        if not is_leader:
            self._held_back.clear()

    def count(self, result: RefreshResult) -> None:
        """Count a result."""
        self._refreshes.labels(result.source, result.outcome).inc()
        for outcome in COUNTED:
            self._items.labels(result.source, outcome).inc(getattr(result.counts, outcome))
        if result.outcome is RefreshOutcome.APPLIED:
            self._held_back.labels(result.source).set(result.counts.held_back)

    def show(self, states: list[PriceSource]) -> None:
        """Set the gauges to the state of the sources."""
        for state in states:
            self._paused.labels(state.name).set(state.failures > 0)
            if state.succeeded_at_ms is not None:
                self._succeeded.labels(state.name).set(state.succeeded_at_ms / 1000)
