"""One invoice: its payments, and how its status follows from them."""

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from typing import Any

SATOSHI, CENT = Decimal("0.00000001"), Decimal("0.01")
METHODS = ("BTC-CHAIN", "BTC-LN")
NO_STATUS = "None"

Event = tuple[str, dict[str, Any]]
"""The type of a webhook, and what this type adds to the fields of all."""


@dataclass
class Payment:
    """A payment to an invoice, in BTC."""

    id: str
    method: str
    value: Decimal
    received: int
    destination: str
    fee: Decimal = Decimal(0)
    status: str = "Processing"

    @property
    def txhash(self) -> str:
        return self.id.partition("-")[0]

    def form(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "receivedDate": self.received,
            "value": text(self.value),
            "fee": text(self.fee),
            "status": self.status,
            "destination": self.destination,
        }


@dataclass
class Invoice:
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
        """What the API answers, with the payment methods."""
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
        paid = (each.value - each.fee for each in self.payments if each.status in statuses)
        return sum(paid, Decimal(0)) * self.rate


def text(number: Decimal) -> str:
    """A decimal as BTCPay writes it: with as many decimals as were given or computed."""
    return f"{number:f}"
