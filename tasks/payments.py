"""The background tasks of payments: polling, sending and reconciling."""

import logging
import time
from contextlib import suppress
from math import inf

from flask import Flask

from models.db.connection import UNAVAILABLE, database
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.payments import discrepancies, inbox
from services.payments.hold import Hold, current_hold
from services.payments.provider import CALL_SECONDS, ProviderError
from services.payments.sending import report_slow
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.lease import Lease, LeaseLost
from tasks.payment_metrics import OpenPayments, PayoutErrors, WebhookMetrics

log = logging.getLogger("platform.payments")

RECONCILED_EVERY_MS = 60 * MINUTE_MS
RETRIED_AFTER_MS = 5 * MINUTE_MS
"""When the provider did not answer, or withdrawals are still held."""

RECONCILED_MS = 31 * DAY_MS
"""How far back the task compares. The command compares everything."""

RENEWED_EVERY_SECONDS = 1.0
"""How often the lease is renewed while this process reconciles. Another one takes over soon if it dies."""


def polling(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Process webhooks, and ask the providers about open deposits."""
    services: Services = app.extensions["services"]
    metrics = WebhookMetrics(app.extensions["metrics"].registry)

    def poll() -> None:
        for delivery in services.payment_polling.run():
            delay_ms = services.clock() - delivery.received_at_ms
            metrics.count(delay_ms=delay_ms, error=delivery.error)

    return RepeatedTask(poll, every_seconds=every_seconds, on_failure="payments not polled")


def sending(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Send approved withdrawals. One process at a time does it."""
    services: Services = app.extensions["services"]
    errors = PayoutErrors(app.extensions["metrics"].registry)

    def send() -> None:
        try:
            errors.count(services.payout_sender.run(now=services.clock()))
        except LeaseLost as lost:
            log.warning(str(lost))

    def release() -> None:
        # Without the database the lease ends by itself.
        with suppress(*UNAVAILABLE):
            services.payout_sender.release()

    return RepeatedTask(
        send, every_seconds=every_seconds, on_failure="withdrawals not sent", after_stop=release
    )


class Reconciling:
    """Reconciles every hour, follows up what has stopped, and counts what is open, in one process."""

    def __init__(self, app: Flask) -> None:
        self._services: Services = app.extensions["services"]
        self._gauges = OpenPayments(app.extensions["metrics"].registry)
        self._lease = Lease("reconciliation")
        self._due_at = Millis(0)
        self._last_hold: Hold | None = None
        self._renewed_at = -inf

    def run(self) -> None:
        """One round."""
        # SQLite serves one process, and a lease would be one more write.
        if database.is_shared and not self._lease.acquire():
            self._gauges.clear()
            return
        now, hold = self._services.clock(), current_hold()
        self._follow_up(now)
        if now >= self._due_at or hold not in (None, self._last_hold):
            is_done = self._reconcile(now)
            self._last_hold = current_hold()
            is_done = is_done and self._last_hold is None
            self._due_at = Millis(now + (RECONCILED_EVERY_MS if is_done else RETRIED_AFTER_MS))
        self._gauges.show(now=now)

    def release(self) -> None:
        """Let another process take over at once."""
        with suppress(*UNAVAILABLE):
            self._lease.release()

    def _follow_up(self, now: Millis) -> None:
        services = self._services
        report_slow(now=now)
        services.withdrawals.decide_interrupted(now=now)

    def _reconcile(self, now: Millis) -> bool:
        """Returns whether the providers have answered, and no other process has taken over."""
        self._renew()
        inbox.delete_old(now=now)
        # Logs what is set up wrongly at a provider.
        self._services.payment_methods.available()
        # Also what has an open discrepancy, to close it.
        oldest = min([now, *(discrepancy.found_at_ms for discrepancy in discrepancies.open_discrepancies())])
        since = Millis(oldest - RECONCILED_MS)
        try:
            self._services.reconciliation.run(since=since, now=now, before_each=self._renew)
        except (ProviderError, LeaseLost) as error:
            log.warning("payments not reconciled: %s", error)
            return False
        return True

    def _renew(self) -> None:
        """Keep the lease during the next step. Raises LeaseLost."""
        if database.is_shared and time.monotonic() > self._renewed_at + RENEWED_EVERY_SECONDS:
            with self._lease.fenced(seconds=CALL_SECONDS):
                self._renewed_at = time.monotonic()


def reconciling(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """See ``Reconciling``."""
    work = Reconciling(app)
    return RepeatedTask(
        work.run, every_seconds=every_seconds, on_failure="payments not reconciled", after_stop=work.release
    )
