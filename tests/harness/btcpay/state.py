"""The store of the fake: its invoices and payouts, and the operations of the API on them.

Every method that answers a request returns the answer's body, or raises Problem. The lock is held by callers.
"""

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from random import Random
from typing import Any

from tests.harness.btcpay.objects import (
    LEAST_BTC,
    METHODS,
    SATOSHI,
    Event,
    Invoice,
    MoneyLedger,
    Payout,
    PullPayment,
    Recorded,
    address_of,
    invalid,
    is_address,
    not_found,
    refused,
)
from tests.harness.btcpay.openapi import NEW

DEFAULT_TAKE = 50
DEFAULT_EXPIRATION_MINUTES, DEFAULT_MONITORING_MINUTES = 15, 1440
LEAST_EXPIRATION_MINUTES = Decimal("0.5")
STORE_TOLERANCE = Decimal(10)
"""The store settles invoices that are underpaid by so many percent, unless the invoice says otherwise."""

Query = Mapping[str, Sequence[str]]


class State:
    """``emit`` is called with the type and the fields of each webhook, after the operation."""

    def __init__(self, url: str, random: Random, emit: Callable[[Event], None], *, release: str) -> None:
        self.url = url
        self.release = release
        self.store_id = _identifier(random)
        self.pull_payment = PullPayment(_identifier(random))
        self.rate = Decimal("64392.23")
        self.is_rate_available = True
        self.ledger = MoneyLedger()
        self.invoices: dict[str, Invoice] = {}
        self.payouts: dict[str, Payout] = {}
        self.denied_until: dict[str, float] = {}
        """Until then look-ups of a payout find nothing. By its id, in seconds of the monotonic clock."""
        self._waiting: dict[str, Invoice] = {}
        """The invoices that time may change."""
        self._random = random
        self._emit = emit
        self._serials = itertools.count(1)
        self._guard = threading.RLock()
        self._pending: list[Event] = []
        self._touched: list[Invoice | Payout] = []

    @staticmethod
    def now() -> int:
        return int(time.time())

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the lock; before and afterwards let invoices follow payments and time, and send webhooks."""
        with self._guard:
            self._follow_up()
            try:
                yield
            finally:
                self._follow_up()

    def touch(self, changed: Invoice | Payout) -> None:
        """Remember that an object has changed."""
        self._touched.append(changed)

    def _follow_up(self) -> None:
        now = self.now()
        touched, self._touched = self._touched, []
        due = (each for each in self._waiting.values() if each.is_due(now))
        for changed in {each.id: each for each in (*touched, *due)}.values():
            if isinstance(changed, Invoice):
                self.emit_for(changed, changed.follow(now))
                self._wait_for(changed)
            changed.record()
        events, self._pending = self._pending, []
        for event in events:
            self._emit(event)

    def _wait_for(self, invoice: Invoice) -> None:
        if invoice.status in ("New", "Processing"):
            self._waiting[invoice.id] = invoice
        else:
            self._waiting.pop(invoice.id, None)

    def forget(self, key: str) -> None:
        """Lose an invoice or a payout."""
        for objects in (self.invoices, self._waiting, self.payouts):
            objects.pop(key, None)

    def _newest_first(self, objects: Iterable[Recorded], *, stale: bool) -> Iterator[Any]:
        """The forms of these; if ``stale``, each in an earlier form, and without those that are new."""
        for each in reversed(list(objects)):
            if not (stale and each.is_missed()):
                yield each.seen(self._random, stale=stale)

    def emit_for(self, invoice: Invoice, events: Sequence[Event]) -> None:
        common = {"invoiceId": invoice.id, "metadata": invoice.metadata}
        self._pending += [(type_, common | more) for type_, more in events]

    # Invoices

    def create_invoice(self, body: Mapping[str, Any], *, amount: Decimal | None = None) -> Invoice:
        """Raises Problem."""
        checkout = {name: value for name, value in (body.get("checkout") or {}).items() if value is not None}
        amount = amount or Decimal(body.get("amount") or 0)
        if amount <= 0:
            raise invalid(("amount", "The amount should be more than 0."))
        minutes = Decimal(str(checkout.setdefault("expirationMinutes", DEFAULT_EXPIRATION_MINUTES)))
        monitoring = Decimal(str(checkout.setdefault("monitoringMinutes", DEFAULT_MONITORING_MINUTES)))
        if minutes < LEAST_EXPIRATION_MINUTES:
            raise invalid(("checkout.expirationMinutes", "Expiration time must be at least 30 seconds"))
        for method in checkout.get("paymentMethods", []):
            if method not in METHODS:
                raise invalid(("checkout.paymentMethods", "Invalid PaymentMethodId"))
        if not self.is_rate_available:
            raise refused("generic-error", "No rate is available")
        tolerance = Decimal(str(checkout.setdefault("paymentTolerance", float(STORE_TOLERANCE))))
        checkout.setdefault("paymentMethods", list(METHODS))
        key, now = _identifier(self._random), self.now()
        invoice = Invoice(
            id=key,
            store_id=self.store_id,
            amount=amount,
            currency=body.get("currency") or "USD",
            metadata=dict(body.get("metadata") or {}),
            checkout=checkout,
            tolerance=tolerance,
            rate=self.rate,
            created=now,
            expires=now + int(minutes * 60),
            monitored_until=now + int((minutes + monitoring) * 60),
            addresses={name: address_of(f"{key}/{name}") for name in METHODS},
            url=self.url,
        )
        self.invoices[key] = invoice
        self._wait_for(invoice)
        self.emit_for(invoice, [("InvoiceCreated", {})])
        # Its answer is this form.
        invoice.record()
        return invoice

    def invoice_form(self, key: str, *, methods: bool = False, stale: bool = False) -> Any:
        if key not in self.invoices:
            raise not_found("invoice")
        return self._with_methods(self.invoices[key].seen(self._random, stale=stale), methods)

    def list_invoices(self, query: Query, *, methods: bool, stale: bool) -> list[Any]:
        since, until = (int(Decimal(query.get(name, ["0"])[0])) for name in ("startDate", "endDate"))
        found = [
            form
            for form in self._newest_first(self.invoices.values(), stale=stale)
            if form["metadata"].get("orderId") in query.get("orderId", [form["metadata"].get("orderId")])
            and form["status"] in query.get("status", [form["status"]])
            and query.get("textSearch", [form["id"]])[0] in (form["id"], form["metadata"].get("orderId"))
            and form["createdTime"] >= since
            and (not until or form["createdTime"] <= until)
        ]
        skip, take = int(query.get("skip", ["0"])[0]), int(query.get("take", [str(DEFAULT_TAKE)])[0])
        return [self._with_methods(form, methods) for form in found[skip : skip + take]]

    def payment_methods(self, key: str, *, stale: bool) -> Any:
        if key not in self.invoices:
            raise not_found("invoice")
        return self.invoices[key].seen(self._random, stale=stale)["paymentMethods"]

    def _with_methods(self, form: Any, wanted: bool) -> Any:
        """The form of an invoice. An old release has the payment methods at a path of their own only."""
        if wanted and self.release == NEW:
            return form
        return {name: value for name, value in form.items() if name != "paymentMethods"}

    # Payouts

    def create_payout(self, body: Mapping[str, Any]) -> Payout:
        """Raises Problem."""
        method, destination = body.get("payoutMethodId"), str(body.get("destination") or "")
        if method not in METHODS:
            raise invalid(("payoutMethodId", "Invalid payment method"))
        if not (is_address(destination) if method == "BTC-CHAIN" else "@" in destination):
            raise invalid(("destination", "The destination is invalid for the payment specified"))
        amount = Decimal(body.get("amount") or 0)
        if amount <= 0:
            raise invalid(("amount", "Amount too small (should be at least 0)"))
        key = body.get("pullPaymentId")
        if key is not None:
            self._check_pull_payment(key, amount)
        if any(each.is_open and each.destination == destination for each in self.payouts.values()):
            raise refused("duplicate-destination", "This address is already used for another payout")
        payout = Payout(
            id=_identifier(self._random),
            pull_payment_id=key,
            method=method,
            destination=destination,
            amount=amount,
            # Without a pull payment the amount is one of the payout's own currency.
            currency="BTC" if key is None else self.pull_payment.currency,
            metadata=dict(body.get("metadata") or {}),
            created=self.now(),
            serial=next(self._serials),
        )
        if payout.btc(self.rate) < LEAST_BTC:
            raise refused("amount-too-low", "The amount is too low")
        self.payouts[payout.id] = payout
        self.touch(payout)
        self._pending.append(payout.event("PayoutCreated"))
        if body.get("approved"):
            self._approve(payout)
        return payout

    def _check_pull_payment(self, key: str, amount: Decimal) -> None:
        if key != self.pull_payment.id:
            raise not_found("pullpayment")
        if self.pull_payment.archived:
            raise refused("archived", "The pull payment has been archived")
        drawn = (each.amount for each in self.payouts.values() if each.state != "Cancelled")
        if sum(drawn, amount) > self.pull_payment.limit:
            raise refused("overdraft", "The payout amount overdraws the pull payment's limit")

    def approve_payout(self, key: str, body: Mapping[str, Any]) -> Payout:
        """Raises Problem."""
        payout = self.payout(key)
        if body.get("revision") is None:
            raise invalid(("revision", "The `revision` property is required"))
        if not self.is_rate_available:
            raise refused("rate-unavailable", "Rate unavailable")
        if payout.state != "AwaitingApproval":
            raise refused("invalid-state", "The payout is not in a state that can be approved")
        if body["revision"] != payout.revision:
            raise refused("old-revision", "The payout has been modified")
        if payout.btc(self.rate) < LEAST_BTC:
            raise refused("amount-too-low", "The crypto amount is too small.")
        self._approve(payout)
        return payout

    def _approve(self, payout: Payout) -> None:
        payout.value = payout.btc(self.rate).quantize(SATOSHI)
        payout.state = "AwaitingPayment"
        self.touch(payout)
        self._pending.append(payout.event("PayoutApproved"))

    def cancel_payout(self, key: str) -> None:
        """Raises Problem. Cancelling it twice is no error."""
        payout = self.payout(key)
        if payout.state in ("InProgress", "Completed"):
            raise refused("invalid-state", "The payout is not in a state that can be cancelled")
        if payout.state != "Cancelled":
            self.move_payout(payout, "Cancelled")

    def move_payout(self, payout: Payout, state: str) -> None:
        payout.state = state
        self.touch(payout)
        self._pending.append(payout.event("PayoutUpdated"))

    def payout(self, key: str) -> Payout:
        if key not in self.payouts:
            raise not_found("payout")
        return self.payouts[key]

    def payout_form(self, key: str, *, stale: bool) -> Any:
        if time.monotonic() < self.denied_until.get(key, 0):
            raise not_found("payout")
        return self.payout(key).seen(self._random, stale=stale)

    def list_payouts(self, *, cancelled: bool, stale: bool) -> list[Any]:
        forms = self._newest_first(self.payouts.values(), stale=stale)
        return [form for form in forms if cancelled or form["state"] != "Cancelled"]

    def pull_payment_form(self, key: str) -> Any:
        if key != self.pull_payment.id:
            raise not_found("pullpayment")
        return self.pull_payment.form(self.url)

    def server_info(self) -> Any:
        return {
            "version": self.release,
            "onion": "",
            "supportedPaymentMethods": list(METHODS),
            "fullySynched": True,
            "syncStatus": [],
        }

    def store_form(self) -> Any:
        return {
            "id": self.store_id,
            "name": "Fake",
            "defaultCurrency": "USD",
            "invoiceExpiration": DEFAULT_EXPIRATION_MINUTES * 60,
            "monitoringExpiration": DEFAULT_MONITORING_MINUTES * 60,
            "paymentTolerance": float(STORE_TOLERANCE),
            "speedPolicy": "MediumSpeed",
            "networkFeeMode": "Never",
            "archived": False,
        }


def _identifier(random: Random) -> str:
    letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    return "".join(random.choices(letters, k=22))
