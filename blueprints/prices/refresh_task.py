"""The background task that refreshes prices, its log lines and its metrics."""

import logging
from contextlib import suppress

from flask import Flask

from blueprints.prices.metrics import PriceMetrics
from models.db.connection import UNAVAILABLE
from server.realtime.server import Realtime
from services.container import Services
from services.prices.results import RefreshResult
from services.prices.service import PriceService, Stopped
from services.shared.lease import LeaseLost

log = logging.getLogger("platform.prices")


class PriceUpdates:
    """What the background task of each process that serves does, and what it tells."""

    def __init__(self, prices: PriceService, metrics: PriceMetrics) -> None:
        self._prices = prices
        self._metrics = metrics

    def refresh_due(self) -> None:
        """Refresh what is due."""
        try:
            self._prices.run_due()
            self._metrics.show(self._prices.states())
        except Stopped:
            return
        except LeaseLost as lost:
            log.warning(str(lost))
        finally:
            self._metrics.lead(is_leader=self._prices.is_leader)

    def report(self, result: RefreshResult) -> None:
        """Count and log the result of a refresh."""
        self._metrics.count(result)
        extra = {"event": f"prices:{result.source}", "outcome": result.outcome}
        if result.problem:
            log.warning(result.problem, extra=extra)
            return
        applied = result.counts
        log.info("prices", extra=extra | {"updated": applied.updated, "held_back": applied.held_back})
        for name in applied.held_back_items:
            log.warning("price held back", extra={"event": f"prices:{result.source}", "item": name})


def install_prices(app: Flask, running: Realtime) -> None:
    """Give this app its price updates, which start with the server if there is a source."""
    services: Services = app.extensions["services"]
    prices, metrics = services.prices, PriceMetrics(app.extensions["metrics"].registry)
    if not prices.has_sources:
        return
    updates = PriceUpdates(prices, metrics)

    def start() -> None:
        prices.listeners.append(updates.report)
        prices.wake_task = rounds.woken.set

    def release() -> None:
        # Without the database the lease ends by itself.
        with suppress(*UNAVAILABLE):
            prices.release()

    # A stop calls these in reverse order: it interrupts a refresh, which the next leader repeats, waits for
    # the task, and gives the lease to another process.
    running.before_close.append(release)
    running.at_start.append(start)
    rounds = running.repeat(
        updates.refresh_due,
        every_seconds=prices.round_seconds,
        on_failure="prices delayed",
        logger=log,
    )
    running.before_close.append(prices.stop)
