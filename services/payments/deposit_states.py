"""What an invoice means for its deposit. Nothing here writes."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from hmac import compare_digest

from models.payments import Deposit, DepositStatus
from services.payments.provider import USD, Invoice, InvoiceState
from services.payments.transfers import Transfer
from services.shared.money import Cents

CLOSED = (DepositStatus.EXPIRED, DepositStatus.FAILED)
"""Ended without a credit. Money may still come."""

STATUS_OF_OPEN_INVOICE = {
    InvoiceState.WAITING: DepositStatus.PENDING,
    InvoiceState.CONFIRMING: DepositStatus.CONFIRMING,
}
"""Of these invoices it does not matter yet what was paid."""

LATER_STATUSES = {
    DepositStatus.PENDING: {*DepositStatus} - {DepositStatus.CREATED, DepositStatus.PENDING},
    DepositStatus.CONFIRMING: {DepositStatus.CREDITED, DepositStatus.REVIEW, DepositStatus.FAILED},
}
"""What may follow while a deposit waits. The provider may show a state that is older than one seen before."""

INVALID_PAYMENT = "the payment did not become valid"


@dataclass(frozen=True)
class DepositOutcome:
    """The status that an invoice asks for, why, and what it credits."""

    status: DepositStatus
    reason: str = ""
    credited: Cents | None = None


def is_ours(invoice: Invoice, deposit: Deposit) -> bool:
    """Whether the invoice was made for this deposit. Strangers don't know the secret."""
    is_same = (invoice.order_id, invoice.amount, invoice.currency) == (deposit.id, deposit.amount_cents, USD)
    return is_same and compare_digest((invoice.secret or "").encode(), deposit.secret.encode())


def foreign_invoices(deposit: Deposit, invoices: Iterable[Invoice]) -> str:
    """The ids of those with the deposit's id that the platform has not made. Empty if there are none."""
    others = [invoice for invoice in invoices if invoice.id != deposit.invoice_id]
    return ", ".join(sorted(invoice.id for invoice in others if not is_ours(invoice, deposit)))


def transfer_of_invoice(invoice: Invoice) -> Transfer:
    """The transfer that has paid an invoice; unknown fields are empty."""
    return Transfer(
        chain=invoice.chain, asset=invoice.asset, amount=invoice.asset_amount, txhash=invoice.txhash
    )


def paid_cents(invoice: Invoice, *, asked: Cents) -> Cents | None:
    """What has come for certain, in whole cents; None while it is not known.

    What is due is rounded in the payment's own currency. So less than half a cent too little counts as what
    was asked for; anything else is rounded down.
    """
    if invoice.paid is None or invoice.currency != USD:
        return None
    paid = _cents(invoice.paid, ROUND_FLOOR)
    return asked if paid < asked <= _cents(invoice.paid, ROUND_HALF_UP) else paid


def outcome_of(invoice: Invoice, *, asked: Cents) -> DepositOutcome | None:
    """What the invoice alone says. Money is what the provider calls settled.

    None if the amount paid is needed and not known yet.
    """
    if invoice.state in STATUS_OF_OPEN_INVOICE:
        # One that is paid in part waits until it expires.
        return DepositOutcome(STATUS_OF_OPEN_INVOICE[invoice.state])
    if invoice.paid is None:
        return None
    if invoice.state is InvoiceState.SETTLED:
        return _of_settled(invoice, asked)
    if invoice.paid > 0:
        return _review(f"money came to an invoice that is {invoice.label}")
    if invoice.state is InvoiceState.EXPIRED:
        return DepositOutcome(DepositStatus.EXPIRED)
    return DepositOutcome(DepositStatus.FAILED, INVALID_PAYMENT)


def next_step(current: str, outcome: DepositOutcome | None) -> DepositOutcome | None:
    """The next step of a deposit with this status; None if the outcome changes nothing.

    A deposit never goes back.
    """
    if outcome is None:
        return None
    if current in CLOSED:
        if outcome.status is DepositStatus.CREDITED:
            return _review("the money came after the deposit had ended")
        return outcome if outcome.status is DepositStatus.REVIEW else None
    if current == DepositStatus.CONFIRMING and outcome.status is DepositStatus.EXPIRED:
        return DepositOutcome(DepositStatus.FAILED, INVALID_PAYMENT)
    return outcome if outcome.status in LATER_STATUSES.get(DepositStatus(current), ()) else None


def _of_settled(invoice: Invoice, asked: Cents) -> DepositOutcome:
    if not invoice.is_regular:
        return _review(f"the invoice is {invoice.label}")
    if (invoice.currency, invoice.amount) != (USD, asked):
        return _review("the invoice is of another amount")
    paid = paid_cents(invoice, asked=asked)
    if paid is None or paid < asked:
        return _review("less was paid than asked")
    # The provider calls an invoice overpaid only if more came before it was settled.
    return DepositOutcome(DepositStatus.CREDITED, credited=paid)


def _review(reason: str) -> DepositOutcome:
    return DepositOutcome(DepositStatus.REVIEW, reason)


def _cents(usd: Decimal, rounding: str) -> Cents:
    return Cents(int((usd * 100).to_integral_value(rounding)))
