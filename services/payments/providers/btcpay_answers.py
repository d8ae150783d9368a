"""Reads answers of BTCPay Server. A field that is absent, null, of another type or too large is not known.

It is never read as 0, or as a state. The functions raise OutcomeUnknown for an answer without what they need.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from services.payments.provider import Invoice, InvoiceState, OutcomeUnknown, Payout, PayoutState
from services.shared.clock import Millis
from services.shared.money import MAX_AMOUNT_CENTS, Cents
from services.shared.text import is_storable

INVOICE_STATES = {
    "New": InvoiceState.WAITING,
    "Processing": InvoiceState.CONFIRMING,
    "Settled": InvoiceState.SETTLED,
    "Expired": InvoiceState.EXPIRED,
    "Invalid": InvoiceState.INVALID,
}
REGULAR = ("None", "PaidOver")
PAYOUT_STATES = {
    "AwaitingApproval": PayoutState.UNAPPROVED,
    "AwaitingPayment": PayoutState.APPROVED,
    "InProgress": PayoutState.IN_PROGRESS,
    "Completed": PayoutState.COMPLETED,
    "Cancelled": PayoutState.CANCELLED,
}
SETTLED = "Settled"
PAYMENT_STATES = (SETTLED, "Processing", "Invalid")

ORDER_ID = "orderId"
WITHDRAWAL_ID = "withdrawalId"
PLATFORM_ID = "platformid"
DEPOSIT_SECRET = "depositSecret"  # noqa: S105  # a key of the metadata

NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]{1,28})?", re.ASCII)
"""BTCPay writes decimals as texts without exponents."""

MAX_ID = 128
MAX_URL = 1000
MAX_SECONDS = 100_000_000_000
"""The year 5138."""

UNREADABLE = (KeyError, TypeError, ValueError)

PaymentsOfInvoice = Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
"""Each payment of an invoice with its payment method."""


def parse_list(found: Any) -> list[dict[str, Any]]:
    """A list of objects."""
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise _not_as_documented("the provider's answer is not a list of objects")
    return found


def parse_invoice(found: Any, payment_methods: Any) -> Invoice:
    """An invoice. ``payment_methods`` have its payments; without them it has no ``paid``."""
    try:
        additional, state = _text(found["additionalStatus"]), _text(found["status"])
        created = _millis(found["createdTime"])
        return Invoice(
            id=_id(found["id"]),
            order_id=metadata(found, ORDER_ID),
            secret=metadata(found, DEPOSIT_SECRET),
            platform_id=metadata(found, PLATFORM_ID),
            state=INVOICE_STATES[state],
            is_regular=additional in REGULAR,
            label=state if additional == "None" else f"{state}, {additional}"[:64],
            currency=_text(found["currency"]),
            amount=_cents(found["amount"]),
            checkout_url=optional_text(found.get("checkoutLink"), most=MAX_URL),
            created_at=created,
            expires_at=_millis(found["expirationTime"]),
            monitored_until=_millis(found["monitoringExpiration"]),
            **_paid(payment_methods, created),
        )
    except UNREADABLE:
        raise _not_as_documented("the provider's answer is not an invoice") from None


def parse_payout(found: Any) -> Payout:
    """A payout."""
    try:
        # Null until a transfer is begun.
        proof = found.get("paymentProof", ...)
        return Payout(
            id=_id(found["id"]),
            withdrawal_id=metadata(found, WITHDRAWAL_ID),
            platform_id=metadata(found, PLATFORM_ID),
            state=PAYOUT_STATES[_text(found["state"])],
            label=found["state"],
            revision=_revision(found["revision"]),
            method=_text(found["payoutMethodId"]),
            currency=_text(found["originalCurrency"]),
            amount=_cents(found["originalAmount"]),
            destination=_text(found["destination"]),
            created_at=_millis(found["date"]),
            asset=optional_text(found.get("payoutCurrency"), most=64),
            asset_amount=_decimal_text(found.get("payoutAmount")),
            txhash=optional_text(proof.get("id"), most=MAX_ID) if isinstance(proof, dict) else "",
            has_transfer=proof is not None,
        )
    except (*UNREADABLE, AttributeError):
        raise _not_as_documented("the provider's answer is not a payout") from None


def own_payouts(found: Any) -> list[dict[str, Any]]:
    """The payouts that the platform has made, of a list of all. Each must say whose it is."""
    entries = parse_list(found)
    if not all(isinstance(entry.get("metadata"), dict) for entry in entries):
        raise _not_as_documented("the provider's answer has a payout without metadata")
    return [entry for entry in entries if metadata(entry, WITHDRAWAL_ID)]


def metadata(found: Any, key: str) -> str | None:
    """A text in the metadata, which strangers may have written."""
    texts = found.get("metadata")
    value = texts.get(key) if isinstance(texts, dict) else None
    return value if isinstance(value, str) and is_storable(value) else None


def optional_text(value: Any, *, most: int) -> str:
    """A text that nothing depends on; empty if it is not known."""
    return value if isinstance(value, str) and len(value) <= most and is_storable(value) else ""


def _paid(payment_methods: Any, created: Millis) -> dict[str, Any]:
    """The fields of an invoice that its payments decide."""
    if payment_methods is None:
        return {"paid": None, "changed_at": created}
    payments: PaymentsOfInvoice = [
        (method, payment) for method in payment_methods for payment in _list(method["payments"])
    ]
    received = [_millis(payment["receivedDate"]) for _, payment in payments]
    settled = [(method, payment) for method, payment in payments if _is_settled(payment)]
    paid = sum((_value(method, payment) for method, payment in settled), start=Decimal(0))
    if paid * 100 > MAX_AMOUNT_CENTS:
        raise ValueError("too large")
    return {"paid": paid, "changed_at": max([created, *received]), **_first_payment(settled)}


def _list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise TypeError("not a list")
    return found


def _is_settled(payment: Mapping[str, Any]) -> bool:
    if payment["status"] not in PAYMENT_STATES:
        raise ValueError("not a state of a payment")
    return bool(payment["status"] == SETTLED)


def _value(method: Mapping[str, Any], payment: Mapping[str, Any]) -> Decimal:
    """What a payment is worth at the rate of the invoice, without the fee that was added."""
    rate = _number(method["rate"])
    if not rate:
        raise ValueError("no rate")
    return (_number(payment["value"]) - _number(payment["fee"])) * rate


def _first_payment(settled: PaymentsOfInvoice) -> dict[str, str]:
    """Where the first settled payment came from."""
    if not settled:
        return {}
    method, payment = min(settled, key=lambda pair: _millis(pair[1]["receivedDate"]))
    return {
        "chain": optional_text(method["paymentMethodId"], most=64),
        "asset": optional_text(method.get("currency"), most=64),
        "asset_amount": _decimal_text(payment["value"]),
        # A payment without one could be credited twice.
        "txhash": _id(payment["id"]),
    }


def _id(value: Any) -> str:
    text = _text(value)
    if not 1 <= len(text) <= MAX_ID:
        raise ValueError("not an id")
    return text


def _text(value: Any) -> str:
    if not isinstance(value, str) or not is_storable(value):
        raise TypeError("not a text")
    return value


def _number(value: Any) -> Decimal:
    text = repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else _text(value)
    if not NUMBER.fullmatch(text):
        raise ValueError("not a number")
    return Decimal(text)


def _decimal_text(value: Any) -> str:
    try:
        return format(_number(value), "f")
    except UNREADABLE:
        return ""


def _cents(value: Any) -> Cents | None:
    """None if it is no whole number of cents, or too large."""
    cents = _number(value) * 100
    return Cents(int(cents)) if cents == int(cents) and cents <= MAX_AMOUNT_CENTS else None


def _revision(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("not a revision")
    return value


def _millis(seconds: Any) -> Millis:
    number = _number(seconds)
    if number > MAX_SECONDS:
        raise ValueError("not a time")
    return Millis(int(number * 1000))


def _not_as_documented(text: str) -> OutcomeUnknown:
    return OutcomeUnknown(text, is_about_this_only=True)
