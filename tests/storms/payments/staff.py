"""The operator's staff in a storm of payments: they decide with the commands, as the manual says."""

import json
import threading
import time
from collections import Counter
from contextlib import suppress
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from models.db.connection import UNAVAILABLE, reading
from models.payments import Deposit, Withdrawal
from tests.harness.btcpay.faults import Fault
from tests.harness.waiting import wait_until
from tests.storms.payments.scene import Scene

STEP_SECONDS = 1.0
REASON = ("--reason", "storm")
RECONCILE_SECONDS = 5.0
OUT_OF_DATE = 0.5
"""How often a reconciliation is shown earlier states of the invoices."""

LEFT_OPEN = 0.25
"""The part that staff leave undecided."""

HURRY_SECONDS = 15.0
IMPATIENCE = 0.1
"""How often staff try to end a withdrawal that is under way, which must fail if it may be paid."""


class Staff:
    """One thread. The sets have the withdrawals that staff have decided about, or have tried to."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._random = scene.random("staff")
        self._left: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.approved: set[str] = set()
        self.rejected: set[str] = set()
        self.failed: set[str] = set()
        self._is_in_a_hurry = threading.Event()

    def work(self) -> None:
        reconciled = time.monotonic()
        while not self._scene.over.is_set():
            # The database may be being restarted.
            with suppress(UNAVAILABLE):
                self._decide()
            if self._is_in_a_hurry.is_set():
                self._end_all()
            if time.monotonic() > reconciled + RECONCILE_SECONDS and not self._scene.ending.is_set():
                if self._random.random() < OUT_OF_DATE:
                    self._scene.fake.faults.next("list invoices", Fault.STALE)
                self.run("reconcile")
                reconciled = time.monotonic()
            self._is_in_a_hurry.wait(STEP_SECONDS)

    def _decide(self) -> None:
        with reading():
            deposits = list(Deposit.select().where(Deposit.status == "review"))
            is_checked = Withdrawal.check_decision.is_null(False)
            requested = list(Withdrawal.select().where(Withdrawal.status == "requested", is_checked))
            sending = list(Withdrawal.select().where(Withdrawal.status.in_(("sending", "sent"))))
        for deposit in filter(self._is_due, deposits):
            invoice = self._scene.fake.state.invoices.get(deposit.invoice_id or "")
            usd = invoice.settled.quantize(Decimal("0.01"), ROUND_FLOOR) if invoice else 0
            if usd > 0 and self._random.random() < 0.5:
                self.run("credit", deposit.id, str(usd), *REASON)
            else:
                self.run("fail", deposit.id, *REASON)
        for withdrawal in filter(self._is_due, requested):
            approves = self._random.random() < 0.6
            # Before the command: its answer may be lost.
            (self.approved if approves else self.rejected).add(withdrawal.id)
            self.run("approve" if approves else "reject", withdrawal.id, *REASON)
        for withdrawal in sending:
            if self._random.random() < IMPATIENCE:
                self._end(withdrawal)

    def hurry(self) -> None:
        """Let staff try to end all withdrawals that are being sent, while BTCPay's list is out of date."""
        self._is_in_a_hurry.set()
        with suppress(TimeoutError):
            wait_until(lambda: not self._is_in_a_hurry.is_set(), seconds=HURRY_SECONDS)

    def _end_all(self) -> None:
        faults = self._scene.fake.faults
        with suppress(UNAVAILABLE):
            with reading():
                sending = list(Withdrawal.select().where(Withdrawal.status == "sending"))
            for withdrawal in sending:
                faults.next("list store payouts", Fault.STALE)
                self._end(withdrawal)
                faults.forget("list store payouts")
        self._is_in_a_hurry.clear()

    def _end(self, withdrawal: Withdrawal) -> None:
        self.failed.add(withdrawal.id)
        self.run("fail", withdrawal.id, *REASON)

    def run(self, *command: str) -> Any:
        """Run a command of ``flask payments``. Staff repeat what fails while something is down."""
        self.counts[f"flask payments {command[0]}"] += 1
        return self._scene.app.test_cli_runner().invoke(args=["payments", *command])

    def reconcile(self) -> list[str]:
        """The discrepancies that are open, a line each, after those that staff can only dismiss.

        These are strangers' invoices, and money that came for a deposit after it had been ended.
        """
        result = self.run("reconcile")
        try:
            discrepancies = json.loads(result.stdout)["findings"]
        except ValueError:
            return [f"flask payments reconcile: {result.output} {result.exception!r}"]
        lines = []
        for discrepancy in discrepancies:
            is_late = discrepancy["kind"] == "deposit" and discrepancy["ours"].startswith("failed, credited")
            if discrepancy["kind"] == "foreign-invoice" or is_late:
                self.run("dismiss", discrepancy["kind"], discrepancy["id"], *REASON)
            else:
                lines.append(f"flask payments reconcile: {json.dumps(discrepancy)}")
        if discrepancies and not lines:
            return self.reconcile()
        if bool(discrepancies) != bool(result.exit_code):
            lines.append(
                f"flask payments reconcile: {len(discrepancies)} of them and exit code {result.exit_code}"
            )
        return lines

    def _is_due(self, row: Deposit | Withdrawal) -> bool:
        """Whether staff decide about this, or leave it undecided until the end."""
        if self._random.random() < LEFT_OPEN:
            self._left.add(row.id)
        return row.id not in self._left
