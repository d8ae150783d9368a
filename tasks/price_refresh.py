"""The background task that refreshes prices, its log lines and its metrics."""

import logging
from functools import partial

from flask import Flask
from prometheus_client import CollectorRegistry, Counter, Gauge

from models.items import PriceSource
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.items.prices.service import Stopped
from services.items.prices.sources import RefreshOutcome, RefreshResult
from services.shared.lease import LeaseLost

log = logging.getLogger("platform.prices")


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


def task(app: Flask) -> RepeatedTask | None:
    """Let this server refresh the prices, if there is a source."""
    services: Services = app.extensions["services"]
    prices, metrics = services.prices, PriceMetrics(app.extensions["metrics"].registry)
    if not prices.has_sources:
        return None

    def start() -> None:
        prices.listeners.append(lambda result: _report(result, metrics))
        prices.on_wanted.append(refresh.woken.set)

    def refresh_due() -> None:
        try:
            prices.run_due()
            metrics.show(prices.states())
        except Stopped:
            return
        except LeaseLost as lost:
            log.warning(str(lost))
        finally:
            metrics.lead(is_leader=prices.is_leader)

    refresh = RepeatedTask(
        refresh_due,
        every_seconds=prices.round_seconds,
        on_failure="prices delayed",
        logger=log,
        at_start=start,
        # The next leader repeats what a stop interrupts.
        interrupt=prices.stop,
        # Also while the feed is being downloaded, which takes up to a minute.
        after_stop=prices.release,
    )
    return refresh


def _report(result: RefreshResult, metrics: PriceMetrics) -> None:
    """Count and log the result of a refresh."""
    metrics.count(result)
    extra = {"event": f"prices:{result.source}", "outcome": result.outcome}
    if result.failure:
        log.warning(str(result.failure), extra=extra)
        return
    applied = result.counts
    log.info("prices", extra=extra | {"updated": applied.updated, "held_back": applied.held_back})
    for name in applied.held_back_items:
        log.warning("price held back", extra={"event": f"prices:{result.source}", "item": name})
