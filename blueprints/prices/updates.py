"""The task that takes the price sources' turns beside the requests, and what it tells."""

import logging
import threading

from flask import Flask

from blueprints.common.failures import describe
from blueprints.prices.metrics import PriceMetrics
from blueprints.realtime.server import Realtime, in_background
from services.platform import Platform
from services.prices.errors import Stopped
from services.prices.results import RefreshResult

log = logging.getLogger("platform.prices")

FAILED_SECONDS = 5.0
STOP_SECONDS = 2.0
"""What an orderly end waits for at the most: a source that is slow is not waited for."""


class PriceUpdates:
    """One background task for each process that serves."""

    def __init__(self, app: Flask, running: Realtime, metrics: PriceMetrics) -> None:
        self._app = app
        self._running = running
        self._metrics = metrics
        self._guard = threading.Lock()
        self._started = False
        self._ended = threading.Event()

    @property
    def _platform(self) -> Platform:
        platform: Platform = self._app.extensions["platform"]
        return platform

    def start(self) -> None:
        """Begin, once, when a source is set. Not in a command: that must not run beside itself."""
        prices = self._platform.prices
        with self._guard:
            if self._started or not prices.has_sources:
                return
            self._started = True
        prices.listeners.append(self._tell)
        prices.spawn = in_background
        self._running.socketio.start_background_task(self._run)

    def close(self) -> None:
        """Stop; a turn that is cut short is left to the next process."""
        prices = self._platform.prices
        prices.stop()
        if not self._started:
            return
        self._ended.wait(STOP_SECONDS)
        try:
            prices.give_back()
        except Exception as failure:  # noqa: BLE001  # its claim runs out by itself
            log.error("prices not given back", extra={"failure": describe(failure)})  # noqa: TRY400

    def _run(self) -> None:
        prices = self._platform.prices
        wait = 0.0
        try:
            with self._app.app_context():
                while not prices.wait(wait):
                    wait = self._round()
        except Stopped:
            pass
        finally:
            self._ended.set()

    def _round(self) -> float:
        """Take the turns that are due; how many seconds the next round may wait. Raises Stopped."""
        prices = self._platform.prices
        try:
            prices.run_due()
            self._metrics.show(prices.states())
            return prices.seconds_to_next()
        except Stopped:
            raise
        except Exception as failure:  # noqa: BLE001  # the next round tries again
            log.error("prices delayed", extra={"failure": describe(failure)})  # noqa: TRY400
            return FAILED_SECONDS

    def _tell(self, result: RefreshResult) -> None:
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
    """Give this app its price updates; begun with the server or the first request."""
    updates = PriceUpdates(app, running, PriceMetrics(app.extensions["metrics"].registry))
    running.at_start.append(updates.start)
    running.before_close.append(updates.close)

    @app.before_request
    def keep_prices_alive() -> None:
        updates.start()
