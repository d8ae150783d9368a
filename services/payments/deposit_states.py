"""What an invoice means for its deposit. Nothing here writes."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from enum import StrEnum

from services.payments.provider import USD, Invoice, InvoiceState
from services.shared.money import Cents


class DepositStatus(StrEnum):
    """A deposit is created, waits for money, and ends; staff decide about what is in review."""

    CREATED = "created"
    PENDING = "pending"
    CONFIRMING = "confirming"
    CREDITED = "credited"
    EXPIRED = "expired"
    FAILED = "failed"
    REVIEW = "review"


UNPAID = (DepositStatus.EXPIRED, DepositStatus.FAILED)
"""Final unless money comes after all."""

UNSETTLED = {
    InvoiceState.WAITING: DepositStatus.PENDING,
    InvoiceState.CONFIRMING: DepositStatus.CONFIRMING,
}
"""Of these invoices it does not matter yet what was paid."""


@dataclass(frozen=True)
class Outcome:
    """The status that an invoice asks for, why, and what it credits."""

    status: DepositStatus
    reason: str = ""
    credited: Cents | None = None


def paid_cents(invoice: Invoice, *, asked: Cents) -> Cents | None:
    """What has come for certain, in whole cents; None while it is not known.

    What is due is rounded in the payment's own currency. So less than half a cent too little counts as what
    was asked for; anything else is rounded down.
    """
    if invoice.paid is None or invoice.currency != USD:
        return None
    paid = _cents(invoice.paid, ROUND_FLOOR)
    return asked if paid < asked <= _cents(invoice.paid, ROUND_HALF_UP) else paid


def outcome_of(invoice: Invoice, *, asked: Cents) -> Outcome | None:
    """What the invoice alone says. Money is what the provider calls settled.

    None while it is not known what was paid, and that matters.
    """
    if invoice.state in UNSETTLED:
        # One that is paid in part waits until it expires.
        return Outcome(UNSETTLED[invoice.state])
    if invoice.paid is None:
        return None
    if invoice.state is InvoiceState.SETTLED:
        return _of_settled(invoice, asked)
    if invoice.paid > 0:
        return _review(f"money came to an invoice that is {invoice.label}")
    if invoice.state is InvoiceState.EXPIRED:
        return Outcome(DepositStatus.EXPIRED)
    return Outcome(DepositStatus.FAILED, "the payment did not become valid")


def step(current: DepositStatus, outcome: Outcome | None) -> Outcome | None:
    """The next step of a deposit with this status; None if the outcome changes nothing.

    The provider may show an older state than one that was seen: a deposit never goes back.
    """
    if outcome is None:
        return None
    status = outcome.status
    if current in UNPAID:
        if status is DepositStatus.CREDITED:
            return _review("the money came after the deposit had ended")
        return outcome if status is DepositStatus.REVIEW else None
    if current is DepositStatus.CONFIRMING and status is DepositStatus.EXPIRED:
        return Outcome(DepositStatus.FAILED, "the payment did not become valid")
    later = {
        DepositStatus.PENDING: {*DepositStatus} - {DepositStatus.CREATED, DepositStatus.PENDING},
        DepositStatus.CONFIRMING: {DepositStatus.CREDITED, DepositStatus.REVIEW, DepositStatus.FAILED},
    }
    return outcome if status in later.get(current, ()) else None


def _of_settled(invoice: Invoice, asked: Cents) -> Outcome:
    if not invoice.is_regular:
        return _review(f"the invoice is {invoice.label}")
    if (invoice.currency, invoice.amount) != (USD, asked):
        return _review("the invoice is of another amount")
    paid = paid_cents(invoice, asked=asked)
    if paid is None or paid < asked:
        return _review("less was paid than asked")
    # The provider calls an invoice overpaid only if more came before it was settled.
    return Outcome(DepositStatus.CREDITED, credited=paid)


def _review(reason: str) -> Outcome:
    return Outcome(DepositStatus.REVIEW, reason)


def _cents(usd: Decimal, rounding: str) -> Cents:
    return Cents(int((usd * 100).to_integral_value(rounding)))
