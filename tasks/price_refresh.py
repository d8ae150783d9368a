"""The background task that refreshes prices, its log lines and its metrics."""

import logging
from contextlib import suppress

from flask import Flask

from models.db.connection import UNAVAILABLE
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.items.prices.service import Stopped
from services.items.prices.sources import RefreshResult
from services.shared.lease import LeaseLost
from tasks.price_metrics import PriceMetrics

log = logging.getLogger("platform.prices")


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

    def release() -> None:
        # Without the database the lease ends by itself.
        with suppress(*UNAVAILABLE):
            prices.release()

    refresh = RepeatedTask(
        refresh_due,
        every_seconds=prices.round_seconds,
        on_failure="prices delayed",
        logger=log,
        at_start=start,
        # The next leader repeats what a stop interrupts.
        interrupt=prices.stop,
        # Also while the feed is being downloaded, which takes up to a minute.
        after_stop=release,
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
