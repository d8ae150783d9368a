"""The background task that refreshes prices, its log lines and its metrics."""

import logging
from contextlib import suppress
from typing import Any

from flask import Flask

from blueprints.prices.metrics import PriceMetrics
from models.db.connection import UNAVAILABLE
from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from services.container import Services
from services.prices.results import RefreshResult
from services.prices.service import PriceService, Stopped
from services.shared.lease import LeaseLost

log = logging.getLogger("platform.prices")

STOP_SECONDS = 2.0
"""How long a stop waits for the running refresh."""


class PriceUpdates:
    """One background task for each process that serves."""

    def __init__(self, prices: PriceService, running: Realtime, metrics: PriceMetrics) -> None:
        self._prices = prices
        self._running = running
        self._metrics = metrics
        self._task: Any = None

    def start(self) -> None:
        """Start the task if there is a source."""
        if self._prices.has_sources:
            self._prices.listeners.append(self._report)
            self._prices.has_background_task = True
            self._task = self._running.socketio.start_background_task(self._run)

    def close(self) -> None:
        """Stop. Another process becomes the leader, and repeats the refresh that this interrupts."""
        self._prices.stop()
        if self._task is not None:
            self._task.join(STOP_SECONDS)
            # Without the database the lease ends by itself.
            with suppress(*UNAVAILABLE):
                self._prices.release()

    def _run(self) -> None:
        with suppress(Stopped):
            self._round()
            while self._prices.wait_for_next_round():
                self._round()

    def _round(self) -> None:
        """Refresh what is due. Raises Stopped."""
        try:
            self._prices.run_due()
            self._metrics.show(self._prices.states())
        except Stopped:
            raise
        except LeaseLost as lost:
            log.warning(str(lost))
        except Exception as failure:  # noqa: BLE001  # the next round tries again
            log.error("prices delayed", extra={"failure": safe_exception_summary(failure)})  # noqa: TRY400
        self._metrics.lead(is_leader=self._prices.is_leader)

    def _report(self, result: RefreshResult) -> None:
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
    """Give this app its price updates, which start with the server."""
    services: Services = app.extensions["services"]
    updates = PriceUpdates(services.prices, running, PriceMetrics(app.extensions["metrics"].registry))
    running.at_start.append(updates.start)
    running.before_close.append(updates.close)
