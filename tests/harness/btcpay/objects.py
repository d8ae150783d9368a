"""What a BTCPay Server has: invoices with their payments, payouts, Bitcoin addresses, and forms of errors."""

import hashlib
import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from random import Random
from typing import Any

SATOSHI, CENT = Decimal("0.00000001"), Decimal("0.01")
METHODS = ("BTC-CHAIN", "BTC-LN")
NO_STATUS = "None"

Event = tuple[str, dict[str, Any]]
"""The type of a webhook, and what this type adds to the fields of all."""

LEAST_BTC = Decimal("0.00000546")
"""The wallet sends nothing smaller."""

OPEN = ("AwaitingApproval", "AwaitingPayment", "InProgress")
PAYOUT_STATES = (*OPEN, "Completed", "Cancelled")


class Problem(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body


def refused(code: str, message: str = "", *, status: int = 400) -> Problem:
    return Problem(status, {"code": code, "message": message or code})


def not_found(what: str) -> Problem:
    return refused(f"{what}-not-found", f"The {what} was not found", status=404)


def invalid(*errors: tuple[str, str]) -> Problem:
    """The request has invalid values. ``errors`` are pairs of a path and a message."""
    return Problem(422, [{"path": path, "message": message} for path, message in errors])


UNSEEN_SECONDS = 10
"""An object that is younger may be missing in a list that is out of date."""


@dataclass(kw_only=True)
class Recorded(ABC):
    """An object that keeps what it looked like after each change, for answers that are out of date."""

    forms: list[str] = field(default_factory=list)
    """Oldest first, as JSON."""

    began: float = field(default_factory=time.monotonic)

    @abstractmethod
    def form(self) -> dict[str, Any]:
        """What the API answers now."""

    def record(self) -> None:
        """Keep the present form, unless nothing has changed."""
        text = json.dumps(self.form())
        if self.forms[-1:] != [text]:
            self.forms.append(text)

    def seen(self, random: Random, *, stale: bool) -> Any:
        """The present form, or an earlier one if there is any."""
        earlier = self.forms[:-1] if stale else []
        return json.loads(random.choice(earlier) if earlier else self.forms[-1])

    def is_missed(self) -> bool:
        """Whether a list that is out of date has it not yet."""
        return len(self.forms) == 1 and time.monotonic() - self.began < UNSEEN_SECONDS


@dataclass
class Payment:
    """A payment to an invoice, in BTC."""

    id: str
    method: str
    value: Decimal
    received: int
    destination: str
    status: str = "Processing"

    @property
    def txhash(self) -> str:
        return self.id.partition("-")[0]

    def form(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "receivedDate": self.received,
            "value": text(self.value),
            "fee": "0",
            "status": self.status,
            "destination": self.destination,
        }


@dataclass
class Invoice(Recorded):
    """Times are in seconds. ``rate`` is the price of a BTC in the invoice's currency."""

    id: str
    store_id: str
    amount: Decimal
    currency: str
    metadata: dict[str, Any]
    checkout: dict[str, Any]
    tolerance: Decimal
    rate: Decimal
    created: int
    expires: int
    monitored_until: int
    addresses: dict[str, str]
    url: str
    status: str = "New"
    additional: str = NO_STATUS
    payments: list[Payment] = field(default_factory=list)

    @property
    def paid(self) -> Decimal:
        """What was paid, settled or not."""
        return self._sum("Processing", "Settled")

    @property
    def settled(self) -> Decimal:
        return self._sum("Settled")

    @property
    def least(self) -> Decimal:
        """With how much it is paid."""
        return self.amount * (100 - self.tolerance) / 100

    @property
    def is_overpaid(self) -> bool:
        return self.paid.quantize(CENT, ROUND_HALF_EVEN) > self.amount

    def is_due(self, now: int) -> bool:
        """Whether time changes its status."""
        ends = {"New": self.expires, "Processing": self.monitored_until}
        return self.status in ends and now >= ends[self.status]

    def value_of(self, usd: Decimal) -> Decimal:
        """An amount in BTC, rounded up."""
        return (usd / self.rate).quantize(SATOSHI, ROUND_CEILING)

    def follow(self, now: int) -> list[Event]:
        """Change the status to what payments and time make of it. Returns the webhooks of that."""
        events: list[Event] = []
        is_paid = self.paid >= self.least
        if self.status == "New":
            if is_paid:
                self.status, self.additional = "Processing", "PaidOver" if self.is_overpaid else NO_STATUS
                events.append(("InvoiceProcessing", {"overPaid": self.is_overpaid}))
            else:
                self.additional = "PaidPartial" if self.paid else NO_STATUS
                if now >= self.expires:
                    self.status = "Expired"
                    events.append(("InvoiceExpired", {"partiallyPaid": bool(self.paid)}))
        elif self.status == "Expired" and self.additional != "Marked":
            self.additional = "PaidLate" if is_paid else "PaidPartial" if self.paid else NO_STATUS
        if self.status == "Processing":
            events += self._follow_processing(now, is_paid=is_paid)
        return events

    def _follow_processing(self, now: int, *, is_paid: bool) -> list[Event]:
        if not is_paid:
            # The sender has replaced a transaction.
            self.status, self.additional = "New", "PaidPartial" if self.paid else NO_STATUS
            return []
        self.additional = "PaidOver" if self.is_overpaid else NO_STATUS
        if self.settled >= self.least:
            self.status = "Settled"
            return [("InvoiceSettled", {"manuallyMarked": False, "overPaid": self.is_overpaid})]
        if now >= self.monitored_until:
            self.status = "Invalid"
            return [("InvoiceInvalid", {"manuallyMarked": False})]
        return []

    def mark(self, status: str) -> list[Event]:
        """Set the status by hand, as staff do in BTCPay."""
        self.status, self.additional = status, "Marked"
        more = {"overPaid": self.is_overpaid} if status == "Settled" else {}
        return [(f"Invoice{status}", {"manuallyMarked": True, **more})]

    def form(self) -> dict[str, Any]:
        """With the payment methods."""
        other = {"Settled": "Invalid", "Invalid": "Settled"}.get(self.status)
        return {
            "id": self.id,
            "storeId": self.store_id,
            "amount": text(self.amount),
            "paidAmount": text(self.paid.quantize(CENT, ROUND_HALF_EVEN)),
            "currency": self.currency,
            "type": "Standard",
            "checkoutLink": f"{self.url}/i/{self.id}",
            "createdTime": self.created,
            "expirationTime": self.expires,
            "monitoringExpiration": self.monitored_until,
            "status": self.status,
            "additionalStatus": self.additional,
            "availableStatusesForManualMarking": [other] if other else ["Settled", "Invalid"],
            "archived": False,
            "metadata": self.metadata,
            "checkout": self.checkout,
            "receipt": {"enabled": None, "showQR": None, "showPayments": None},
            "paymentMethods": [self._method(name) for name in METHODS],
        }

    def _method(self, name: str) -> dict[str, Any]:
        due = self.value_of(self.amount)
        total = sum((each.value for each in self.payments if each.status != "Invalid"), Decimal(0))
        own = [each for each in self.payments if each.method == name]
        return {
            "paymentMethodId": name,
            "currency": "BTC",
            "destination": self.addresses[name],
            "paymentLink": f"bitcoin:{self.addresses[name]}",
            "rate": text(self.rate),
            "paymentMethodPaid": text(sum((each.value for each in own), Decimal(0))),
            "totalPaid": text(total),
            "due": text(due - total),
            "amount": text(due),
            "paymentMethodFee": "0",
            "payments": [each.form() for each in own],
            "activated": True,
            "additionalData": {},
        }

    def _sum(self, *statuses: str) -> Decimal:
        paid = (each.value for each in self.payments if each.status in statuses)
        return sum(paid, Decimal(0)) * self.rate


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
class Payout(Recorded):
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
    proof: dict[str, Any] | None = None

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


@dataclass(frozen=True)
class Paid:
    """A payout that has left the wallet."""

    payout_id: str
    usd: Decimal
    destination: str
    txhash: str
    metadata: Mapping[str, Any]


@dataclass
class MoneyLedger:
    """The money that has really been paid out, in order."""

    paid: list[Paid] = field(default_factory=list)

    def paid_for(self, reference: str) -> list[Paid]:
        """What has been paid for whatever has this text in the payouts' metadata."""
        return [each for each in self.paid if reference in each.metadata.values()]


def text(number: Decimal) -> str:
    """A decimal as BTCPay writes it: with as many decimals as were given or computed."""
    return f"{number:f}"


def address_of(name: str) -> str:
    """An address that belongs to this name. It has no key, and no checksum."""
    return f"bc1q{hashlib.sha256(name.encode()).hexdigest()[:38]}"


def is_address(text: str) -> bool:
    return re.fullmatch(r"bc1q[0-9a-f]{38}", text) is not None
