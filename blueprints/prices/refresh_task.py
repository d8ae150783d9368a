"""The background task that refreshes prices, its log lines and its metrics."""

import logging
from contextlib import suppress

from flask import Flask

from blueprints.prices.metrics import PriceMetrics
from models.db.connection import UNAVAILABLE
from server.realtime.server import Realtime
from services.container import Services
from services.prices.results import RefreshResult
from services.prices.service import Stopped
from services.shared.lease import LeaseLost

log = logging.getLogger("platform.prices")


def install_prices(app: Flask, running: Realtime) -> None:
    """Let this server refresh the prices, if there is a source."""
    services: Services = app.extensions["services"]
    prices, metrics = services.prices, PriceMetrics(app.extensions["metrics"].registry)
    if not prices.has_sources:
        return

    def start() -> None:
        prices.listeners.append(lambda result: _report(result, metrics))
        prices.wake_task = rounds.woken.set

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

    def release() -> None:
        # Without the database the lease ends by itself.
        with suppress(*UNAVAILABLE):
            prices.release()

    # A stop calls these in reverse order: it interrupts a refresh, which the next leader repeats, waits for
    # the task, and gives the lease to another process.
    running.before_close.append(release)
    running.at_start.append(start)
    rounds = running.repeat(
        refresh_due, every_seconds=prices.round_seconds, on_failure="prices delayed", logger=log
    )
    running.before_close.append(prices.stop)


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
