"""Those who act at the payment provider: payers, its wallet and staff, and who sends false webhooks."""

import heapq
import itertools
import queue
import time
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeVar

import requests

from tests.harness.btcpay.faults import endless
from tests.harness.btcpay.objects import Invoice, Payout, Problem
from tests.harness.btcpay.people import NotPossible
from tests.storms.payments.scene import Scene

STEP_SECONDS = 0.1
CENT = Decimal("0.01")

Action = Callable[["Payer", str, Decimal], object]
"""Does something to the invoice with this id and amount."""


class Payer:
    """Pays the invoices of the players' deposits: each in one of SCENARIOS, one step after the other."""

    def __init__(self, scene: Scene) -> None:
        self.fake = scene.fake
        self.last_txhash: str | None = None
        self.counts: Counter[str] = Counter()
        self._scene = scene
        self._random = scene.random("payer")
        self._scenarios = endless(SCENARIO_BAG, self._random)
        self._known: set[str] = set()
        self._waiting: list[tuple[float, int, str, Sequence[Sequence[Action]]]] = []
        self._serials = itertools.count()

    def work(self) -> None:
        """Until the storm is over. When it ends, nothing is left that waits for a payer."""
        while not self._scene.over.is_set():
            self._take_new()
            while self._waiting and (self._waiting[0][0] <= time.monotonic() or self._scene.ending.is_set()):
                _, _, invoice_id, steps = heapq.heappop(self._waiting)
                self._do_next(invoice_id, steps)
            if self._scene.ending.is_set():
                self._finish()
            time.sleep(STEP_SECONDS)

    def _take_new(self) -> None:
        while True:
            try:
                deposit_id, url = self._scene.to_pay.get_nowait()
            except queue.Empty:
                return
            if url is None or self._random.random() < 0.05:
                self._meddle(deposit_id)
            if url is not None and deposit_id not in self._known:
                self._known.add(deposit_id)
                name = next(self._scenarios)
                self.counts[name] += 1
                self._later(url.rpartition("/")[2], SCENARIOS[name])

    def _meddle(self, deposit_id: str) -> None:
        """A stranger makes an invoice with the deposit's id, of the same or another amount, and pays it."""
        usd = None if self._random.random() < 0.5 else CENT
        try:
            invoice_id = self.fake.stranger_invoice(deposit_id, usd)
        except Problem:
            # BTCPay knows no rate at the moment.
            return
        self.fake.pay(invoice_id)
        self.counts["stranger's invoice"] += 1

    def _later(self, invoice_id: str, steps: Sequence[Sequence[Action]]) -> None:
        at = time.monotonic() + self._random.uniform(0, 1.5)
        heapq.heappush(self._waiting, (at, next(self._serials), invoice_id, steps))

    def _do_next(self, invoice_id: str, steps: Sequence[Sequence[Action]]) -> None:
        amount = self.fake.invoice(invoice_id).amount
        try:
            for action in steps[0]:
                action(self, invoice_id, amount)
        except NotPossible:
            # It was settled, or has expired, in another way meanwhile.
            return
        if steps[1:]:
            self._later(invoice_id, steps[1:])

    def _finish(self) -> None:
        """Let every payment be confirmed, and every other invoice expire."""
        for invoice in self.fake.invoices:
            if invoice.status == "Processing":
                self.fake.settle(invoice.id)
            elif invoice.status == "New":
                self.fake.expire(invoice.id)

    def pay_again(self, invoice_id: str) -> None:
        """With the same transaction as the last invoice, as a wallet does that pays several at once."""
        self.last_txhash = self.fake.pay(invoice_id, txhash=self.last_txhash)


def _pay(share: float | None = None, *, method: str = "pay", **how: object) -> Action:
    """Pay this share of the amount, or what is left."""

    def action(payer: Payer, key: str, amount: Decimal) -> None:
        usd = None if share is None else (amount * Decimal(str(share))).quantize(CENT)
        getattr(payer.fake, method)(key, usd, **how)

    return action


def _do(name: str) -> Action:
    """Call this method of the fake."""
    return lambda payer, key, _: getattr(payer.fake, name)(key)


def _unconfirmed(share: float | None = None) -> Action:
    return _pay(share, status="Processing")


SCENARIOS: dict[str, Sequence[Sequence[Action]]] = {
    "exactly": [[_pay(1)], [_do("expire")]],
    "exactly, confirmed later": [[_unconfirmed()], [_do("settle")]],
    "in parts": [[_unconfirmed(0.33)], [_pay(0.33)], [_pay()]],
    "over": [[_pay(1.137)], [_do("expire")]],
    "twice": [[_unconfirmed(1), _unconfirmed(1)], [_do("settle")]],
    "a little under": [[_pay(0.97)], [_do("expire")]],
    "under": [[_pay(0.5, parts=2)], [_do("expire")]],
    "late": [[_do("expire")], [_do("pay_late")]],
    "late and under": [[_do("expire")], [_pay(0.5, method="pay_late")]],
    "not at all": [[_do("expire")]],
    "replaced by its sender": [[_unconfirmed()], [_do("double_spend")], [_unconfirmed()], [_do("settle")]],
    "replaced, then nothing": [[_unconfirmed()], [_do("double_spend")], [_do("expire")]],
    "never confirmed": [[_unconfirmed()], [_do("fail_to_confirm")]],
    "confirmed in part": [[_pay(0.5), _unconfirmed(), _do("fail_to_confirm")]],
    "marked as settled": [[_do("mark_settled")]],
    "with another one's transaction": [[lambda payer, key, _: payer.pay_again(key)]],
}
"""The steps of each, some time apart; a step is what happens at once."""

SCENARIO_BAG = (*SCENARIOS, *["exactly", "exactly, confirmed later", "over"] * 4)
"""Most are paid as asked, so that there are coins to withdraw."""

DENIED_SECONDS = 3.0
FATES = (
    *["pays at once"] * 5,
    *["broadcasts, then pays"] * 3,
    *["waits, then pays in one transaction"] * 3,
    "cancels after the approval",
    "pays without a transaction's id",
    *["is denied by BTCPay, then pays"] * 3,
)
EARLY_FATES = (*["nothing"] * 8, "cancels before the approval", "changes before the approval")


class Treasury:
    """Moves payouts on in BTCPay, as its wallet and the staff do. Each has a fate, of those above."""

    def __init__(self, scene: Scene) -> None:
        self.counts: Counter[str] = Counter()
        self._scene = scene
        self._fake = scene.fake
        self._random = scene.random("treasury")
        self._fates = endless(FATES, self._random)
        self._early = endless(EARLY_FATES, self._random)
        self._seen: set[str] = set()
        self._due: dict[str, tuple[float, str]] = {}
        self._batch: list[Payout] = []

    def work(self) -> None:
        while not self._scene.over.is_set():
            for payout in self._fake.payouts:
                try:
                    self._look_at(payout)
                except NotPossible:
                    # The platform was faster.
                    continue
            self._pay_batch()
            time.sleep(STEP_SECONDS)

    def _look_at(self, payout: Payout) -> None:
        if payout.state == "AwaitingApproval" and payout.id not in self._seen:
            self._seen.add(payout.id)
            self._do_early(payout)
        elif payout.state in ("AwaitingPayment", "InProgress") and payout not in self._batch:
            self._move_on(payout)

    def _do_early(self, payout: Payout) -> None:
        fate = "nothing" if self._scene.ending.is_set() else next(self._early)
        self.counts[fate] += fate != "nothing"
        if fate.startswith("cancels"):
            self._cancel(payout)
        elif fate.startswith("changes"):
            self._fake.revise(payout)

    def _move_on(self, payout: Payout) -> None:
        if payout.id not in self._due:
            fate = "pays at once" if self._scene.ending.is_set() else next(self._fates)
            self.counts[fate] += 1
            wait = 0 if fate == "pays at once" else self._random.uniform(0.5, 3)
            self._due[payout.id] = (time.monotonic() + wait, fate)
            if fate == "broadcasts, then pays":
                self._fake.start_payment(payout)
            elif fate.startswith("is denied"):
                self._fake.deny(payout, seconds=DENIED_SECONDS)
        at, fate = self._due[payout.id]
        if time.monotonic() < at:
            return
        if fate.startswith("cancels"):
            self._cancel(payout)
        elif fate.startswith("waits"):
            self._batch.append(payout)
        else:
            self._fake.complete(payout, is_known=not fate.startswith("pays without"))

    def _cancel(self, payout: Payout) -> None:
        if self._fake.cancel(payout):
            self._scene.cancelled.add(payout.id)

    def _pay_batch(self) -> None:
        if len(self._batch) >= 2 or self._scene.ending.is_set():
            batch, self._batch = self._batch, []
            if still := [each for each in batch if each.state in ("AwaitingPayment", "InProgress")]:
                self._fake.complete(*still)


NEWEST = 3
"""Lies are about what has begun last, since nothing happens to the rest any more."""

Each = TypeVar("Each", Invoice, Payout)


class Liar:
    """Sends well signed webhooks about what has not happened, and badly signed ones.

    BTCPay's API contradicts all of them.
    """

    def __init__(self, scene: Scene) -> None:
        self.counts: Counter[str] = Counter()
        self._scene = scene
        self._fake = scene.fake
        self._random = scene.random("lies")

    def work(self) -> None:
        lies = (self._settled, self._cancelled, self._completed, self._unknown, self._invalid, self._unsigned)
        for lie in itertools.cycle(lies):
            if self._scene.ending.wait(self._random.uniform(0, 1)):
                return
            lie()

    def _settled(self) -> None:
        """An invoice that nobody has paid is settled."""
        self._about_invoice("InvoiceSettled", ("New", "Expired"), manuallyMarked=False, overPaid=False)

    def _invalid(self) -> None:
        """An invoice that is settled or being confirmed is invalid."""
        self._about_invoice("InvoiceInvalid", ("Settled", "Processing"), manuallyMarked=False)

    def _cancelled(self) -> None:
        """A payout that is being paid is cancelled."""
        self._about_payout("Cancelled", ("AwaitingApproval", "AwaitingPayment", "InProgress"))

    def _completed(self) -> None:
        """A payout that is not paid, or never will be, is completed."""
        self._about_payout("Completed", ("AwaitingApproval", "AwaitingPayment", "InProgress", "Cancelled"))

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
            answer = requests.post(self._scene.webhook_url(), body, headers=headers, timeout=10)
        except OSError:
            return
        if answer.status_code not in (401, 503):
            self._scene.problems.append(f"a badly signed webhook was answered with {answer.status_code}")

    def _about_invoice(self, type_: str, states: Sequence[str], **fields: bool) -> None:
        if invoice := self._newest([each for each in self._fake.invoices if each.status in states]):
            self.counts[f"false {type_}"] += 1
            self._fake.webhooks.lie(type_, invoiceId=invoice.id, metadata=invoice.metadata, **fields)

    def _about_payout(self, state: str, states: Sequence[str]) -> None:
        if payout := self._newest([each for each in self._fake.payouts if each.state in states]):
            self.counts[f"false PayoutUpdated: {state}"] += 1
            about = {"payoutId": payout.id, "pullPaymentId": payout.pull_payment_id}
            self._fake.webhooks.lie("PayoutUpdated", payoutState=state, **about)

    def _newest(self, among: list[Each]) -> Each | None:
        return self._random.choice(among[-NEWEST:]) if among else None
