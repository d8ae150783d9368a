"""The background task that refreshes prices, its log lines and its metrics."""

import logging
from contextlib import suppress
from typing import Any

from flask import Flask

from blueprints.common.failures import describe
from blueprints.prices.metrics import PriceMetrics
from blueprints.realtime.server import Realtime, in_background
from services.platform import Platform
from services.prices.errors import Stopped
from services.prices.results import RefreshResult
from services.prices.service import PriceService

log = logging.getLogger("platform.prices")

FAILED_SECONDS = 5.0
"""Seconds until the next attempt after an unexpected error."""

STOP_SECONDS = 2.0
"""How long a stop waits for the running refresh."""


class PriceUpdates:
    """One background task for each process that serves."""

    def __init__(self, app: Flask, running: Realtime, metrics: PriceMetrics) -> None:
        self._app = app
        self._running = running
        self._metrics = metrics
        self._task: Any = None

    @property
    def _prices(self) -> PriceService:
        platform: Platform = self._app.extensions["platform"]
        return platform.prices

    def start(self) -> None:
        """Start the task if there is a source."""
        if self._prices.has_sources:
            self._prices.listeners.append(self._report)
            self._prices.spawn = in_background
            self._task = self._running.socketio.start_background_task(self._run)

    def close(self) -> None:
        """Stop. A refresh that this interrupts is left to the next process."""
        self._prices.stop()
        if self._task is None:
            return
        self._task.join(STOP_SECONDS)
        try:
            self._prices.give_back()
        except Exception as failure:  # noqa: BLE001  # the claim expires by itself
            log.error("prices not given back", extra={"failure": describe(failure)})  # noqa: TRY400

    def _run(self) -> None:
        wait = 0.0
        with self._app.app_context(), suppress(Stopped):
            while not self._prices.wait(wait):
                wait = self._round()

    def _round(self) -> float:
        """Refresh what is due. Returns the seconds until the next refresh. Raises Stopped."""
        try:
            self._prices.run_due()
            self._metrics.show(self._prices.states())
            return self._prices.seconds_to_next()
        except Stopped:
            raise
        except Exception as failure:  # noqa: BLE001  # the next round tries again
            log.error("prices delayed", extra={"failure": describe(failure)})  # noqa: TRY400
            return FAILED_SECONDS

    def _report(self, result: RefreshResult) -> None:
        self._metrics.count(result)
        extra = {"event": f"prices:{result.source}", "outcome": result.outcome}
        if result.problem:
            log.warning(result.problem, extra=extra)
            return
        applied = result.counts
        log.info("prices", extra=extra | {"updated": applied.updated, "held_back": applied.held_back})
        for name in applied.held_back_names:
            log.warning("price held back", extra={"event": f"prices:{result.source}", "item": name})


def install_prices(app: Flask, running: Realtime) -> None:
    """Give this app its price updates, which start with the server."""
    updates = PriceUpdates(app, running, PriceMetrics(app.extensions["metrics"].registry))
    running.at_start.append(updates.start)
    running.before_close.append(updates.close)
