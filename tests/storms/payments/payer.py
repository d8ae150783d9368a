"""Pays the invoices of the players' deposits: exactly, over, under, in parts, late, twice, or not at all."""

import heapq
import itertools
import queue
import time
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from random import Random

from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.people import NotPossible
from tests.harness.btcpay.problems import Problem
from tests.storms.payments.scene import Scene

SOON_SECONDS = 1.5
STEP_SECONDS = 0.1
CENT = Decimal("0.01")

Step = Callable[[], object]
Scenario = Callable[["Payer", str, Decimal], list[Step]]


class Payer:
    """One thread that pays what the players have asked for, each in one of SCENARIOS."""

    def __init__(self, scene: Scene, *, seed: str) -> None:
        self._scene = scene
        self._fake: FakeBtcPay = scene.fake
        self._random = Random(f"{seed}/payer")
        self._known: set[str] = set()
        self._steps: list[tuple[float, int, list[Step]]] = []
        self._serials = itertools.count()
        self._bag: list[str] = []
        self.counts: Counter[str] = Counter()
        self.last_txhash: str | None = None

    def work(self) -> None:
        """Until the storm is over. When it ends, nothing is left that waits for a payer."""
        try:
            while not self._scene.over.is_set():
                self._take_new()
                while self._steps and (self._steps[0][0] <= time.monotonic() or self._scene.ending.is_set()):
                    self._do_next(heapq.heappop(self._steps)[2])
                if self._scene.ending.is_set():
                    self._finish()
                time.sleep(STEP_SECONDS)
        except Exception as failure:  # noqa: BLE001  # a thread has nobody else to tell
            self._scene.problems.append(f"the payer gave up: {failure!r}")

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
                self._begin(url.rpartition("/")[2])

    def _meddle(self, deposit_id: str) -> None:
        """A stranger makes an invoice with the deposit's id, of the same or another amount, and pays it."""
        usd = None if self._random.random() < 0.5 else CENT
        try:
            invoice_id = self._fake.stranger_invoice(deposit_id, usd)
        except Problem:
            # BTCPay knows no rate at the moment.
            return
        self._fake.pay(invoice_id)
        self.counts["stranger's invoice"] += 1

    def _begin(self, invoice_id: str) -> None:
        if not self._bag:
            self._bag = self._random.sample(list(BAG), len(BAG))
        name = self._bag.pop()
        self.counts[name] += 1
        steps = SCENARIOS[name](self, invoice_id, self._fake.invoice(invoice_id).amount)
        self._later(steps)

    def _later(self, steps: list[Step]) -> None:
        at = time.monotonic() + self._random.uniform(0, SOON_SECONDS)
        heapq.heappush(self._steps, (at, next(self._serials), steps))

    def _do_next(self, steps: list[Step]) -> None:
        try:
            steps[0]()
        except NotPossible:
            # It was settled, or has expired, in another way meanwhile.
            return
        if steps[1:]:
            self._later(steps[1:])

    def _finish(self) -> None:
        """Let every payment be confirmed, and every other invoice expire."""
        for invoice in self._fake.invoices:
            if invoice.status == "Processing":
                self._fake.settle(invoice.id)
            elif invoice.status == "New":
                self._fake.expire(invoice.id)

    def pay_again(self, invoice_id: str) -> None:
        """With the same transaction as the last invoice, as a wallet does that pays several at once."""
        self.last_txhash = self._fake.pay(invoice_id, txhash=self.last_txhash)


def _pay(share: str, *, status: str = "Settled", parts: int = 1) -> Scenario:
    """Pay this share of the amount."""

    def scenario(payer: Payer, key: str, amount: Decimal) -> list[Step]:
        usd = (amount * Decimal(share)).quantize(CENT)
        pay: Step = lambda: payer._fake.pay(key, usd, status=status, parts=parts)  # noqa: E731
        return [pay, lambda: payer._fake.expire(key)]

    return scenario


def _then(*names: str) -> Scenario:
    """Methods of the fake, one after the other. ``pay`` leaves the payment unconfirmed."""

    def scenario(payer: Payer, key: str, _: Decimal) -> list[Step]:
        def step(name: str) -> Step:
            if name == "pay":
                return lambda: payer._fake.pay(key, status="Processing")
            return lambda: getattr(payer._fake, name)(key)

        return [step(name) for name in names]

    return scenario


def _twice(payer: Payer, key: str, amount: Decimal) -> list[Step]:
    """Two payments of the whole amount, before the first is confirmed."""

    def pay() -> None:
        payer._fake.pay(key, amount, status="Processing")
        payer._fake.pay(key, amount, status="Processing")

    return [pay, lambda: payer._fake.settle(key)]


def _in_parts(payer: Payer, key: str, amount: Decimal) -> list[Step]:
    part = (amount / 3).quantize(CENT)
    return [
        lambda: payer._fake.pay(key, part, status="Processing"),
        lambda: payer._fake.pay(key, part),
        lambda: payer._fake.pay(key, amount - 2 * part),
    ]


def _late_in_part(payer: Payer, key: str, amount: Decimal) -> list[Step]:
    return [lambda: payer._fake.expire(key), lambda: payer._fake.pay_late(key, (amount / 2).quantize(CENT))]


def _invalid_with_money(payer: Payer, key: str, amount: Decimal) -> list[Step]:
    """Half is confirmed, the other half never."""
    half = (amount / 2).quantize(CENT)

    def pay() -> None:
        payer._fake.pay(key, half)
        payer._fake.pay(key, amount - half, status="Processing")
        payer._fake.fail_to_confirm(key)

    return [pay]


SCENARIOS: dict[str, Scenario] = {
    "exactly": _pay("1"),
    "exactly, confirmed later": _then("pay", "settle"),
    "in parts": _in_parts,
    "over": _pay("1.137"),
    "twice": _twice,
    "a little under": _pay("0.97"),
    "under": _pay("0.5", parts=2),
    "late": _then("expire", "pay_late"),
    "late and under": _late_in_part,
    "not at all": _then("expire"),
    "replaced by its sender": _then("pay", "double_spend", "pay", "settle"),
    "replaced, then nothing": _then("pay", "double_spend", "expire"),
    "never confirmed": _then("pay", "fail_to_confirm"),
    "confirmed in part": _invalid_with_money,
    "marked as settled": _then("mark_settled"),
    "with another one's transaction": lambda payer, key, _: [lambda: payer.pay_again(key)],
}
BAG = (*SCENARIOS, *["exactly", "exactly, confirmed later", "over"] * 4)
"""Most are paid as asked, so that there are coins to withdraw."""
