"""The provider of development: it confirms deposits and pays withdrawals by itself, and moves no money.

It has no books of its own: its invoices and payouts follow from our rows and the time.
"""

# ruff: noqa: ARG002  # the arguments are the port's

import hashlib
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from models.db.connection import reading
from models.payments import Deposit, Withdrawal
from services.payments.provider import (
    USD,
    Hint,
    Invoice,
    InvoiceState,
    Payout,
    PayoutMethod,
    PayoutState,
    Provider,
)
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents, decimal_text

CONFIRMS_AFTER_MS = 5_000
PAYS_AFTER_MS = 10_000


class Demo(Provider):
    """Settles an invoice after five seconds and completes a payout after ten."""

    name = "demo"
    title = "Demonstration"
    payout_methods = (
        PayoutMethod(id="demo", name="Demonstration", address_hint="Any text; nothing is sent"),
    )
    longest_wait_ms = 1_000
    has_books = False

    def __init__(self, *, base_url: str, clock: Callable[[], Millis]) -> None:
        self._base_url = base_url
        self._clock = clock

    def create_invoice(
        self, *, deposit_id: str, secret: str, platform_id: str, amount: Cents, seconds: float
    ) -> Invoice:
        return self._invoice(deposit_id, secret, amount, made_at=self._clock())

    @reading()
    def invoice(self, invoice_id: str, *, seconds: float) -> Invoice | None:
        found = Deposit.get_or_none(Deposit.id == invoice_id)
        if found is None:
            return None
        # Nobody pays what its player has cancelled.
        made_at = self._clock() if found.status == "expired" else found.created_at_ms
        return self._invoice(found.id, found.secret, found.amount_cents, made_at=made_at)

    def invoices_of(self, deposit_id: str, *, seconds: float) -> Sequence[Invoice]:
        return ()

    def invoices(self, *, since: Millis, seconds: float) -> Sequence[Invoice]:
        return ()

    def create_payout(
        self,
        *,
        withdrawal_id: str,
        platform_id: str,
        method: str,
        amount: Cents,
        destination: str,
        seconds: float,
    ) -> Payout:
        return self._payout(withdrawal_id, amount, destination, PayoutState.UNAPPROVED, self._clock())

    def approve(self, payout: Payout, *, seconds: float) -> None:
        pass

    def cancel(self, payout_id: str, *, seconds: float) -> None:
        pass

    @reading()
    def payout(self, payout_id: str, *, seconds: float) -> Payout | None:
        found = Withdrawal.get_or_none(Withdrawal.id == payout_id)
        if found is None:
            return None
        state = PayoutState.UNAPPROVED
        if found.status == "sent":
            is_paid = self._clock() - (found.sending_since_ms or 0) >= PAYS_AFTER_MS
            state = PayoutState.COMPLETED if is_paid else PayoutState.IN_PROGRESS
        return self._payout(
            found.id, found.amount_cents, found.destination, state, Millis(found.sending_since_ms or 0)
        )

    def payouts(self, *, seconds: float) -> Sequence[Payout]:
        return ()

    def problems(self, *, seconds: float) -> list[str]:
        return []

    def is_signed(self, headers: Mapping[str, str], body: bytes) -> bool:
        return False

    def read_webhook(self, body: bytes) -> Hint:
        raise ValueError("the demonstration sends no webhooks")

    def _invoice(self, deposit_id: str, secret: str, amount: int, *, made_at: int) -> Invoice:
        is_paid = self._clock() - made_at >= CONFIRMS_AFTER_MS
        return Invoice(
            id=deposit_id,
            order_id=deposit_id,
            secret=secret,
            state=InvoiceState.SETTLED if is_paid else InvoiceState.WAITING,
            is_regular=True,
            label="Settled" if is_paid else "New",
            currency=USD,
            amount=Cents(amount),
            paid=Decimal(amount) / 100 if is_paid else Decimal(0),
            checkout_url=f"{self._base_url}/demo-checkout/{deposit_id}",
            created_at=Millis(made_at),
            changed_at=Millis(made_at),
            expires_at=Millis(made_at + DAY_MS),
            monitored_until=Millis(made_at + DAY_MS),
            chain="demo",
            asset=USD,
            asset_amount=decimal_text(amount),
            txhash=_txhash(deposit_id),
        )

    def _payout(
        self, withdrawal_id: str, amount: int, destination: str, state: PayoutState, created_at: Millis
    ) -> Payout:
        return Payout(
            id=withdrawal_id,
            withdrawal_id=withdrawal_id,
            state=state,
            label=state.value,
            revision=0,
            method="demo",
            currency=USD,
            amount=Cents(amount),
            destination=destination,
            created_at=created_at,
            asset=USD,
            asset_amount=decimal_text(amount),
            txhash=_txhash(withdrawal_id),
        )


def _txhash(payment_id: str) -> str:
    return hashlib.sha256(payment_id.encode()).hexdigest()
