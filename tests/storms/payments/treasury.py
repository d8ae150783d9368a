"""Moves payouts on in BTCPay, as its wallet and the operator's staff do."""

import itertools
import time
from collections import Counter
from random import Random

from tests.harness.btcpay.payouts import Payout
from tests.harness.btcpay.people import NotPossible
from tests.storms.payments.scene import Scene

STEP_SECONDS = 0.1
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
    """One thread. Each payout has a fate, of those above."""

    def __init__(self, scene: Scene, *, seed: str) -> None:
        self._scene = scene
        self._fake = scene.fake
        self._random = Random(f"{seed}/treasury")
        self._fates = _endless(FATES, self._random)
        self._early = _endless(EARLY_FATES, self._random)
        self._seen: set[str] = set()
        self._due: dict[str, tuple[float, str]] = {}
        self._batch: list[Payout] = []
        self.counts: Counter[str] = Counter()

    def work(self) -> None:
        try:
            while not self._scene.over.is_set():
                for payout in self._fake.payouts:
                    self._look_at(payout)
                self._pay_batch()
                time.sleep(STEP_SECONDS)
        except Exception as failure:  # noqa: BLE001  # a thread has nobody else to tell
            self._scene.problems.append(f"the treasury gave up: {failure!r}")

    def _look_at(self, payout: Payout) -> None:
        try:
            if payout.state == "AwaitingApproval" and payout.id not in self._seen:
                self._seen.add(payout.id)
                self._do_early(payout)
            elif payout.state in ("AwaitingPayment", "InProgress") and payout not in self._batch:
                self._move_on(payout)
        except NotPossible:
            # The platform was faster.
            return

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
            open_ = [each for each in batch if each.state in ("AwaitingPayment", "InProgress")]
            if open_:
                self._fake.complete(*open_)


def _endless(bag: tuple[str, ...], random: Random) -> "itertools.chain[str]":
    """Draws from a bag that is filled again when it is empty."""
    return itertools.chain.from_iterable(random.sample(bag, len(bag)) for _ in itertools.count())
