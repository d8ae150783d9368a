"""Well signed webhooks about what has not happened, and badly signed ones."""

import itertools
from collections import Counter
from random import Random
from typing import TypeVar

import requests

from tests.harness.btcpay.invoices import Invoice
from tests.harness.btcpay.payouts import Payout
from tests.storms.payments.scene import Scene

SECONDS = 10
PAUSE_SECONDS = 1.0
NEWEST = 3
"""Lies are about what has begun last, since nothing happens to the rest any more."""

Each = TypeVar("Each", Invoice, Payout)


class Liar:
    """One thread that tells one lie after the other. BTCPay's API contradicts all of them."""

    def __init__(self, scene: Scene, *, seed: str) -> None:
        self._scene = scene
        self._fake = scene.fake
        self._random = Random(f"{seed}/lies")
        self.counts: Counter[str] = Counter()
        self._turns = itertools.cycle(
            [self._settled, self._cancelled, self._completed, self._unknown, self._invalid, self._unsigned]
        )

    def work(self) -> None:
        try:
            while not self._scene.ending.is_set():
                next(self._turns)()
                self._scene.ending.wait(self._random.uniform(0, PAUSE_SECONDS))
        except Exception as failure:  # noqa: BLE001  # a thread has nobody else to tell
            self._scene.problems.append(f"the liar gave up: {failure!r}")

    def _settled(self) -> None:
        """An invoice that nobody has paid is settled."""
        if invoice := self._one([each for each in self._fake.invoices if each.status in ("New", "Expired")]):
            fields = {"manuallyMarked": False, "overPaid": False}
            self._about_invoice("InvoiceSettled", invoice, **fields)

    def _invalid(self) -> None:
        """An invoice that is settled or being confirmed is invalid."""
        states = ("Settled", "Processing")
        if invoice := self._one([each for each in self._fake.invoices if each.status in states]):
            self._about_invoice("InvoiceInvalid", invoice, manuallyMarked=False)

    def _cancelled(self) -> None:
        """A payout that is being paid is cancelled."""
        states = ("AwaitingApproval", "AwaitingPayment", "InProgress")
        if payout := self._one([each for each in self._fake.payouts if each.state in states]):
            self._about_payout(payout, "Cancelled")

    def _completed(self) -> None:
        """A payout that is not paid, or never will be, is completed."""
        if payout := self._one([each for each in self._fake.payouts if each.state != "Completed"]):
            self._about_payout(payout, "Completed")

    def _unknown(self) -> None:
        """An invoice that nobody knows is settled."""
        fields = {"invoiceId": "nobody's", "metadata": {"orderId": "nobody's"}, "manuallyMarked": False}
        self._fake.webhooks.lie("InvoiceSettled", **fields)
        self.counts["webhook about nobody's invoice"] += 1

    def _unsigned(self) -> None:
        """A message with a bad signature must be answered with 401."""
        self.counts["webhook with a bad signature"] += 1
        headers = {"BTCPAY-SIG": f"sha256={'0' * 64}", "Content-Type": "application/json"}
        body = b'{"deliveryId": "forged", "type": "InvoiceSettled"}'
        try:
            answer = requests.post(self._scene.webhook_url(), body, headers=headers, timeout=SECONDS)
        except OSError:
            return
        if answer.status_code not in (401, 503):
            self._scene.problems.append(f"a badly signed webhook was answered with {answer.status_code}")

    def _about_invoice(self, type_: str, invoice: Invoice, **fields: bool) -> None:
        self.counts[f"false {type_}"] += 1
        self._fake.webhooks.lie(type_, invoiceId=invoice.id, metadata=invoice.metadata, **fields)

    def _about_payout(self, payout: Payout, state: str) -> None:
        self.counts[f"false PayoutUpdated: {state}"] += 1
        about = {"payoutId": payout.id, "pullPaymentId": payout.pull_payment_id}
        self._fake.webhooks.lie("PayoutUpdated", payoutState=state, **about)

    def _one(self, among: list[Each]) -> Each | None:
        return self._random.choice(among[-NEWEST:]) if among else None
