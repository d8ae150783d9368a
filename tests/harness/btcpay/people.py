"""What people do with a BTCPay Server: payers, strangers, and the operator's staff and wallet."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_DOWN, Decimal
from random import Random
from typing import Any

from tests.harness.btcpay.objects import (
    SATOSHI,
    Invoice,
    MoneyLedger,
    Paid,
    Payment,
    Payout,
    Problem,
    PullPayment,
    address_of,
)
from tests.harness.btcpay.state import State

CHAIN = "BTC-CHAIN"


class NotPossible(Exception):
    """An invoice or payout is not in a state that allows this."""


class People:
    """Everything that happens to invoices and payouts without the API."""

    def __init__(self, state: State, *, seed: object) -> None:
        self.state = state
        self._random = Random(f"{seed}/people")
        self._outputs: dict[str, int] = {}

    @property
    def ledger(self) -> MoneyLedger:
        return self.state.ledger

    @property
    def pull_payment(self) -> PullPayment:
        return self.state.pull_payment

    @property
    def invoices(self) -> list[Invoice]:
        return list(self.state.invoices.values())

    @property
    def payouts(self) -> list[Payout]:
        return list(self.state.payouts.values())

    def invoice(self, invoice_id: str) -> Invoice:
        return self.state.invoices[invoice_id]

    def invoices_of(self, order_id: str) -> list[Invoice]:
        return [each for each in self.invoices if each.metadata.get("orderId") == order_id]

    def payouts_of(self, reference: str) -> list[Payout]:
        """The payouts that have this text, such as a withdrawal's id, in their metadata."""
        return [each for each in self.payouts if reference in each.metadata.values()]

    @contextmanager
    def _changing(self, invoice_id: str) -> Iterator[Invoice]:
        """Hold the lock while an invoice is changed, and then let its status follow."""
        with self.state.changing():
            invoice = self.invoice(invoice_id)
            yield invoice
            self.state.touch(invoice)

    # What payers do

    def pay(
        self,
        invoice_id: str,
        usd: Decimal | int | None = None,
        *,
        parts: int = 1,
        status: str = "Settled",
        txhash: str | None = None,
        method: str = CHAIN,
    ) -> str:
        """Pay an invoice, by default what is left, in so many payments. Returns the first transaction.

        ``status`` "Processing" leaves the payments unconfirmed. With ``txhash``, all are outputs of one
        transaction, which may pay several invoices. Raises NotPossible when nothing is left.
        """
        with self._changing(invoice_id) as invoice:
            value = invoice.value_of(invoice.amount - invoice.paid if usd is None else Decimal(usd))
            if value <= 0:
                raise NotPossible("nothing is left to pay")
            part = (value / parts).quantize(SATOSHI, ROUND_DOWN)
            values = [part] * (parts - 1) + [value - part * (parts - 1)]
            payments = [self._payment(invoice, each, method, txhash) for each in values]
            if status == "Settled":
                self._settle(invoice)
            return payments[0].txhash

    def _payment(self, invoice: Invoice, value: Decimal, method: str, txhash: str | None) -> Payment:
        key = txhash or f"{self._random.getrandbits(256):064x}"
        if method == CHAIN:
            output = self._outputs[key] = self._outputs.get(key, -1) + 1
            key = f"{key}-{output}"
        payment = Payment(key, method, value, self.state.now(), invoice.addresses[method])
        invoice.payments.append(payment)
        self._emit_payment("InvoiceReceivedPayment", invoice, payment)
        return payment

    def _emit_payment(self, type_: str, invoice: Invoice, payment: Payment) -> None:
        late = invoice.status == "Expired"
        fields = {"afterExpiration": late, "paymentMethodId": payment.method, "payment": payment.form()}
        self.state.emit_for(invoice, [(type_, fields)])

    def settle(self, invoice_id: str) -> None:
        """Confirm all payments of an invoice."""
        with self._changing(invoice_id) as invoice:
            self._settle(invoice)

    def _settle(self, invoice: Invoice) -> None:
        # First its payments are seen, and then they are final.
        self.state.emit_for(invoice, invoice.follow(self.state.now()))
        invoice.record()
        for payment in invoice.payments:
            if payment.status == "Processing":
                payment.status = "Settled"
                self._emit_payment("InvoicePaymentSettled", invoice, payment)

    def double_spend(self, invoice_id: str) -> None:
        """Let the payer replace the payments that are not confirmed: they never arrive."""
        with self._changing(invoice_id) as invoice:
            for payment in invoice.payments:
                if payment.status == "Processing":
                    payment.status = "Invalid"

    def stranger_invoice(self, order_id: str, usd: Decimal | int | None = None) -> str:
        """Make an invoice with the platform's order id through a public button. Returns its id.

        By default it has the amount of the platform's own. Raises Problem.
        """
        with self.state.changing():
            own = self.invoices_of(order_id)
            amount = Decimal(usd) if usd is not None else own[0].amount if own else Decimal(10)
            body = {"currency": "USD", "metadata": {"orderId": order_id}}
            return self.state.create_invoice(body, amount=amount).id

    # What time and staff do

    def expire(self, invoice_id: str) -> None:
        """Let the time for paying an invoice be over."""
        with self._changing(invoice_id) as invoice:
            invoice.expires = min(invoice.expires, self.state.now())

    def pay_late(self, invoice_id: str, usd: Decimal | int | None = None, **how: Any) -> str:
        """Pay an invoice after it has expired."""
        self.expire(invoice_id)
        return self.pay(invoice_id, usd, **how)

    def fail_to_confirm(self, invoice_id: str) -> None:
        """Let the time for confirming the payments of an invoice be over."""
        with self._changing(invoice_id) as invoice:
            invoice.monitored_until = self.state.now()

    def invalidate(self, invoice_id: str) -> None:
        """Let staff mark an invoice as invalid."""
        self._mark(invoice_id, "Invalid")

    def mark_settled(self, invoice_id: str) -> None:
        """Let staff mark an invoice as settled, whatever was paid."""
        self._mark(invoice_id, "Settled")

    def _mark(self, invoice_id: str, status: str) -> None:
        with self._changing(invoice_id) as invoice:
            self.state.emit_for(invoice, invoice.mark(status))

    def start_payment(self, payout: Payout | str, *, txhash: str | None = None) -> str:
        """Broadcast the transaction of an approved payout. Returns its hash. Raises NotPossible."""
        with self.state.changing():
            found = self._payout(payout, "AwaitingPayment")
            txhash = txhash or f"{self._random.getrandbits(256):064x}"
            found.proof = _proof(txhash)
            self.state.move_payout(found, "InProgress")
            return txhash

    def complete(self, *payouts: Payout | str, txhash: str | None = None, is_known: bool = True) -> str:
        """Pay approved payouts in one transaction. Returns its hash. Raises NotPossible.

        Unless it ``is_known``, staff have paid in another way and marked the payouts as paid.
        """
        with self.state.changing():
            txhash = txhash or f"{self._random.getrandbits(256):064x}"
            for found in [self._payout(each, "AwaitingPayment", "InProgress") for each in payouts]:
                known = found.proof["id"] if found.proof else txhash
                found.proof = _proof(known) if is_known else None
                self.ledger.paid.append(
                    Paid(found.id, found.usd(self.state.rate), found.destination, known, found.metadata)
                )
                self.state.move_payout(found, "Completed")
            return txhash

    def cancel(self, payout: Payout | str) -> bool:
        """Let staff cancel a payout in BTCPay; returns whether that was possible."""
        with self.state.changing():
            try:
                self.state.cancel_payout(self._payout(payout).id)
            except Problem:
                return False
            return True

    def mark_cancelled(self, payout: Payout | str) -> None:
        """Let staff mark a payout as cancelled in BTCPay, although its transfer was begun."""
        with self.state.changing():
            self.state.move_payout(self._payout(payout), "Cancelled")

    def deny(self, payout: Payout | str, *, seconds: float) -> None:
        """Let look-ups of a payout find nothing for so long."""
        with self.state.changing():
            self.state.denied_until[self._payout(payout).id] = time.monotonic() + seconds

    def revise(self, payout: Payout | str) -> None:
        """Let a payout change before its approval, which makes its revision old."""
        with self.state.changing():
            found = self._payout(payout)
            found.revision += 1
            self.state.touch(found)

    def forget(self, key: str) -> None:
        """Lose an invoice or a payout, as a restore of an old backup does."""
        with self.state.changing():
            self.state.forget(key)

    def archive_pull_payment(self, *, archived: bool = True) -> None:
        self.pull_payment.archived = archived

    def fund(self, usd: Decimal | int) -> None:
        """Raise the limit of the pull payment, or lower it by a negative amount."""
        self.pull_payment.limit += Decimal(usd)

    def set_rate_available(self, available: bool) -> None:
        self.state.is_rate_available = available

    @staticmethod
    def address(name: str) -> str:
        """A valid address, the same for the same name."""
        return address_of(name)

    def _payout(self, payout: Payout | str, *states: str) -> Payout:
        """Raises NotPossible if it is in none of these states."""
        found = payout if isinstance(payout, Payout) else self.state.payouts[payout]
        if states and found.state not in states:
            raise NotPossible(f"the payout is {found.state}")
        return found


def _proof(txhash: str) -> dict[str, Any]:
    return {
        "proofType": "PayoutTransactionOnChainBlob",
        "id": txhash,
        "link": f"https://mempool.space/tx/{txhash}",
    }
