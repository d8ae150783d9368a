"""The background tasks of payments: polling, sending and reconciling, and their metrics."""

import logging
import time
from contextlib import suppress
from math import inf

from flask import Flask
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from models.db.connection import UNAVAILABLE, database
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.payments import discrepancies, history, inbox
from services.payments.hold import Hold, current_hold
from services.payments.provider import CALL_SECONDS, ProviderError
from services.payments.sending import report_slow
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.lease import Lease, LeaseLost

log = logging.getLogger("platform.payments")

MOST_WEBHOOKS, MOST_DEPOSITS = 200, 40
"""Of one batch."""

ROUND_SECONDS = 5.0
"""When so much time is over, no other batch begins."""

DELAY_BUCKETS_SECONDS = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 300)

RECONCILED_EVERY_MS = 60 * MINUTE_MS
RETRIED_AFTER_MS = 5 * MINUTE_MS
"""When the provider did not answer, or withdrawals are still held."""

RECONCILED_MS = 31 * DAY_MS
"""How far back the task compares. The command compares everything."""

RENEWED_EVERY_SECONDS = 1.0
"""How often the lease is renewed while this process reconciles. Another one takes over soon if it dies."""


def polling(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Process webhooks, and ask the providers about open deposits.

    Each process does it; of several processes one gets each message and each deposit. Withdrawals are asked
    about by ``sending``.
    """
    services: Services = app.extensions["services"]
    registry = app.extensions["metrics"].registry
    delays = Histogram(
        "webhook_delay_seconds",
        "Time from the arrival of a webhook until it was processed",
        buckets=DELAY_BUCKETS_SECONDS,
        registry=registry,
    )
    failed = Counter("webhooks_failed", "Webhooks with which nothing could be done", registry=registry)

    def poll() -> None:
        ends_at = time.monotonic() + ROUND_SECONDS
        while time.monotonic() < ends_at:
            now = services.clock()
            processed = services.payment_inbox.process_waiting(now=now, most=MOST_WEBHOOKS)
            for delivery in processed:
                delays.observe(max(services.clock() - delivery.received_at_ms, 0) / 1000)
                if delivery.error is not None:
                    failed.inc()
            polled = services.deposits.poll_due(now=now, most=MOST_DEPOSITS)
            if len(processed) < MOST_WEBHOOKS and polled < MOST_DEPOSITS:
                break

    return RepeatedTask(poll, every_seconds=every_seconds, on_failure="payments not polled")


def sending(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Send approved withdrawals, and ask the providers about them. One process at a time does it."""
    services: Services = app.extensions["services"]
    errors = Counter(
        "payout_errors",
        "Calls about payouts that failed, by what is known: away (not done), unknown, refused",
        ["kind"],
        registry=app.extensions["metrics"].registry,
    )

    def send() -> None:
        try:
            for error in services.payout_sender.run(now=services.clock()):
                errors.labels(error.kind).inc()
        except LeaseLost as lost:
            log.warning(str(lost))

    def release() -> None:
        # Without the database the lease ends by itself.
        with suppress(*UNAVAILABLE):
            services.payout_sender.release()

    return RepeatedTask(
        send, every_seconds=every_seconds, on_failure="withdrawals not sent", after_stop=release
    )


class OpenPayments:
    """Gauges of what is open. One process shows them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ["type", "status"]
        self._counts = Gauge(
            "payments_open", "Deposits and withdrawals that are not final", labels, registry=registry
        )
        oldest = "Time since the last change of the one that waits longest"
        self._ages = Gauge("payments_oldest_seconds", oldest, labels, registry=registry)
        self._discrepancies = Gauge(
            "payment_discrepancies_open", "Discrepancies that are not solved", ["kind"], registry=registry
        )

    def clear(self) -> None:
        """Show nothing: another process does."""
        for gauge in (self._counts, self._ages, self._discrepancies):
            gauge.clear()

    def show(self, *, now: Millis) -> None:
        """Show what the database has now."""
        open_now, counts = discrepancies.open_discrepancies(), history.open_counts()
        self.clear()
        for type_, status, number, changed_at in counts:
            self._counts.labels(type_, status).set(number)
            self._ages.labels(type_, status).set(max(now - changed_at, 0) / 1000)
        for discrepancy in open_now:
            self._discrepancies.labels(discrepancy.kind).inc()


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
        report_slow(now=now)
        self._services.withdrawals.decide_interrupted(now=now)
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

    def _reconcile(self, now: Millis) -> bool:
        """Returns whether the providers have answered, and no other process has taken over."""
        self._renew()
        inbox.delete_old(now=now)
        # Logs what is set up wrongly at a provider.
        self._services.payment_providers.available_methods()
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
