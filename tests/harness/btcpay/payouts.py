"""Payouts, and the pull payment that they are drawn on."""

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any

from tests.harness.btcpay.invoices import SATOSHI, Event, text

LEAST_BTC = Decimal("0.00000546")
"""The wallet sends nothing smaller."""

OPEN = ("AwaitingApproval", "AwaitingPayment", "InProgress")
PAYOUT_STATES = (*OPEN, "Completed", "Cancelled")


@dataclass
class PullPayment:
    """What may be paid out: ``limit`` in ``currency``."""

    id: str
    currency: str = "USD"
    limit: Decimal = Decimal(1_000_000)
    archived: bool = False

    def form(self, url: str) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": "Withdrawals",
            "description": "",
            "currency": self.currency,
            "amount": text(self.limit),
            "BOLT11Expiration": "30",
            "autoApproveClaims": False,
            "archived": self.archived,
            "viewLink": f"{url}/pull-payments/{self.id}",
        }


@dataclass
class Payout:
    """``amount`` is in ``currency``; ``value`` in BTC, once it is approved."""

    id: str
    pull_payment_id: str | None
    method: str
    destination: str
    amount: Decimal
    currency: str
    metadata: dict[str, Any]
    created: int
    serial: int
    revision: int = 0
    state: str = "AwaitingApproval"
    value: Decimal | None = None
    proof: dict[str, Any] | None = field(default=None)

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    def usd(self, rate: Decimal) -> Decimal:
        return self.amount if self.currency == "USD" else self.amount * rate

    def btc(self, rate: Decimal) -> Decimal:
        value = self.amount if self.currency == "BTC" else self.amount / rate
        return value.quantize(SATOSHI, ROUND_CEILING)

    def event(self, type_: str) -> Event:
        return type_, {
            "payoutId": self.id,
            "pullPaymentId": self.pull_payment_id,
            "payoutState": self.state,
        }

    def form(self) -> dict[str, Any]:
        """What the API answers."""
        return {
            "id": self.id,
            "revision": self.revision,
            "pullPaymentId": self.pull_payment_id,
            # A text in the documents, a number in real answers.
            "date": self.created if self.serial % 2 else str(self.created),
            "destination": self.destination,
            "originalCurrency": self.currency,
            "originalAmount": text(self.amount),
            "payoutCurrency": "BTC",
            "payoutAmount": None if self.value is None else text(self.value),
            "payoutMethodId": self.method,
            "state": self.state,
            "paymentProof": self.proof,
            "metadata": self.metadata,
        }
