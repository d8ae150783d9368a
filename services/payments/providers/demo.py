"""The provider of development: it confirms deposits and pays withdrawals by itself, and moves no money.

It has no books of its own: its invoices and payouts follow from our rows and the time.
"""

# ruff: noqa: ARG002  # the arguments are the port's

import hashlib
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from models.db.connection import reading
from models.payments import Deposit, DepositStatus, Withdrawal, WithdrawalStatus
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

    def create_invoice(self, deposit: Deposit, *, platform_id: str) -> Invoice:
        return self._invoice(deposit, made_at=self._clock())

    @reading()
    def get_invoice(self, invoice_id: str) -> Invoice | None:
        deposit = Deposit.get_or_none(Deposit.id == invoice_id)
        if deposit is None:
            return None
        # Nobody pays what its player has cancelled.
        is_cancelled = deposit.status == DepositStatus.EXPIRED
        return self._invoice(deposit, made_at=self._clock() if is_cancelled else deposit.created_at_ms)

    def find_invoices(self, deposit_id: str) -> Sequence[Invoice]:
        return ()

    def list_invoices(self, *, since: Millis) -> Sequence[Invoice]:
        return ()

    def create_payout(self, withdrawal: Withdrawal, *, platform_id: str) -> Payout:
        return self._payout(withdrawal, PayoutState.UNAPPROVED)

    def approve(self, payout: Payout) -> None:
        pass

    def cancel(self, payout_id: str) -> None:
        pass

    @reading()
    def get_payout(self, payout_id: str) -> Payout | None:
        withdrawal = Withdrawal.get_or_none(Withdrawal.id == payout_id)
        if withdrawal is None:
            return None
        if withdrawal.status != WithdrawalStatus.SENT:
            return self._payout(withdrawal, PayoutState.UNAPPROVED)
        is_paid = self._clock() - (withdrawal.sending_since_ms or 0) >= PAYS_AFTER_MS
        return self._payout(withdrawal, PayoutState.COMPLETED if is_paid else PayoutState.IN_PROGRESS)

    def list_payouts(self) -> Sequence[Payout]:
        return ()

    def problems(self) -> list[str]:
        return []

    def is_signed(self, headers: Mapping[str, str], body: bytes) -> bool:
        return False

    def read_webhook(self, body: bytes) -> Hint:
        raise ValueError("the demonstration sends no webhooks")

    def _invoice(self, deposit: Deposit, *, made_at: int) -> Invoice:
        is_paid = self._clock() - made_at >= CONFIRMS_AFTER_MS
        amount = Cents(deposit.amount_cents)
        return Invoice(
            id=deposit.id,
            order_id=deposit.id,
            secret=deposit.secret,
            state=InvoiceState.SETTLED if is_paid else InvoiceState.WAITING,
            is_regular=True,
            label="Settled" if is_paid else "New",
            currency=USD,
            amount=amount,
            paid=Decimal(amount) / 100 if is_paid else Decimal(0),
            checkout_url=f"{self._base_url}/demo-checkout/{deposit.id}",
            created_at=Millis(made_at),
            changed_at=Millis(made_at),
            expires_at=Millis(made_at + DAY_MS),
            monitored_until=Millis(made_at + DAY_MS),
            chain="demo",
            asset=USD,
            asset_amount=decimal_text(amount),
            txhash=_txhash(deposit.id),
        )

    def _payout(self, withdrawal: Withdrawal, state: PayoutState) -> Payout:
        amount = Cents(withdrawal.amount_cents)
        return Payout(
            id=withdrawal.id,
            withdrawal_id=withdrawal.id,
            state=state,
            label=state.value,
            revision=0,
            method="demo",
            currency=USD,
            amount=amount,
            destination=withdrawal.destination,
            created_at=Millis(withdrawal.sending_since_ms or 0),
            asset=USD,
            asset_amount=decimal_text(amount),
            txhash=_txhash(withdrawal.id),
        )


def _txhash(row_id: str) -> str:
    return hashlib.sha256(row_id.encode()).hexdigest()
