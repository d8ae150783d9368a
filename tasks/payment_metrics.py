"""Metrics of payments for Prometheus."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from models.payments import Discrepancy
from services.payments import discrepancies, history
from services.payments.provider import ProviderError
from services.shared.clock import Millis

DELAY_BUCKETS_SECONDS = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 300)


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
        open_now: Iterable[Discrepancy] = discrepancies.open_discrepancies()
        counts = history.open_counts()
        self.clear()
        for type_, status, number, changed_at in counts:
            self._counts.labels(type_, status).set(number)
            self._ages.labels(type_, status).set(max(now - changed_at, 0) / 1000)
        for discrepancy in open_now:
            self._discrepancies.labels(discrepancy.kind).inc()


class WebhookMetrics:
    """How long webhooks waited, and how many were about nothing known."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._delays = Histogram(
            "webhook_delay_seconds",
            "Time from the arrival of a webhook until it was processed",
            buckets=DELAY_BUCKETS_SECONDS,
            registry=registry,
        )
        self._failed = Counter(
            "webhooks_failed", "Webhooks with which nothing could be done", registry=registry
        )

    def count(self, *, delay_ms: int, error: str | None) -> None:
        """Count one that was processed."""
        self._delays.observe(max(delay_ms, 0) / 1000)
        if error is not None:
            self._failed.inc()


class PayoutErrors:
    """Failed calls about payouts."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._errors = Counter(
            "payout_errors",
            "Calls about payouts that failed, by what is known: away (not done), unknown, refused",
            ["kind"],
            registry=registry,
        )

    def count(self, errors: Iterable[ProviderError]) -> None:
        """Count the errors of one round."""
        for error in errors:
            self._errors.labels(type(error).__name__.lower()).inc()
