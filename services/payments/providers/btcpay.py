"""BTCPay Server: deposits are invoices, withdrawals are payouts of one pull payment in USD.

A payout without a pull payment would be in the payout's own currency: "60.00" would be 60 BTC.
"""

import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote

from services.payments.provider import (
    USD,
    Hint,
    Invoice,
    InvoiceState,
    Payout,
    PayoutMethod,
    PayoutState,
    Provider,
    Unknown,
)
from services.payments.providers.btcpay_api import MAX_LIST_BYTES, BtcPayApi
from services.shared import decimal_json
from services.shared.background import in_slices
from services.shared.clock import Millis
from services.shared.money import Cents, decimal_text
from services.shared.text_validation import is_storable

PAGE = 100
"""Invoices in one answer."""

SLICE = 100
"""Payouts that are read between two pauses. The list has all that were ever made."""

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
OUTPUT_NUMBER = re.compile(r"([0-9a-fA-F]{64})-[0-9]+")
METHOD_NAMES = {
    "CHAIN": ("{} on the blockchain", "A {} address"),
    "LN": ("{} over Lightning", "A Lightning invoice without an amount, or a Lightning address"),
}
ORDER_ID = "orderId"
WITHDRAWAL_ID = "withdrawalId"
DEPOSIT_SECRET = "depositSecret"  # noqa: S105  # a key of the metadata


class BtcPay(Provider):
    """One store of a BTCPay Server."""

    name = "btcpay"
    title = "Cryptocurrency"

    def __init__(
        self,
        *,
        url: str,
        store: str,
        api_key: str,
        webhook_secret: str,
        payout_methods: Sequence[str],
        pull_payment: str,
        redirect_url: str,
    ) -> None:
        self.payout_methods = [_payout_method(method) for method in payout_methods]
        self._api = BtcPayApi(url=url, api_key=api_key)
        self._store = f"/api/v1/stores/{quote(store, safe='')}"
        self._webhook_secret = webhook_secret
        self._pull_payment = pull_payment
        self._redirect_url = redirect_url

    def create_invoice(self, *, deposit_id: str, secret: str, amount: Cents, seconds: float) -> Invoice:
        body = {
            "amount": decimal_text(amount),
            "currency": USD,
            "metadata": {ORDER_ID: deposit_id, DEPOSIT_SECRET: secret},
            # The store may settle invoices that are not paid in full.
            "checkout": {"paymentTolerance": 0, "redirectURL": self._redirect_url},
        }
        return _invoice(self._api.write("POST", f"{self._store}/invoices", body=body, seconds=seconds))

    def invoice(self, invoice_id: str, *, seconds: float) -> Invoice | None:
        path = f"/api/v1/invoices/{quote(invoice_id, safe='')}"
        found = self._api.read(path, query=[("includePaymentMethods", "true")], seconds=seconds)
        return None if found is None else _invoice(found)

    def invoices_of(self, deposit_id: str, *, seconds: float) -> Sequence[Invoice]:
        return [
            invoice
            for invoice in self._list(seconds, ("orderId", deposit_id))
            if invoice.order_id == deposit_id
        ]

    def invoices(self, *, since: Millis, seconds: float) -> Iterator[Invoice]:
        return self._list(seconds, ("startDate", str(since // 1000)))

    def create_payout(
        self, *, withdrawal_id: str, method: str, amount: Cents, destination: str, seconds: float
    ) -> Payout:
        body = {
            "destination": destination,
            "amount": decimal_text(amount),
            "payoutMethodId": method,
            "pullPaymentId": self._pull_payment,
            "approved": False,
            "metadata": {WITHDRAWAL_ID: withdrawal_id},
        }
        return _payout(self._api.write("POST", f"{self._store}/payouts", body=body, seconds=seconds))

    def approve(self, payout: Payout, *, seconds: float) -> None:
        self._api.write("POST", _payout_path(payout.id), body={"revision": payout.revision}, seconds=seconds)

    def cancel(self, payout_id: str, *, seconds: float) -> None:
        self._api.write("DELETE", _payout_path(payout_id), seconds=seconds)

    def payout(self, payout_id: str, *, seconds: float) -> Payout | None:
        found = self._api.read(_payout_path(payout_id), seconds=seconds)
        return None if found is None else _payout(found)

    def payouts(self, *, seconds: float) -> Sequence[Payout]:
        # Without a search, without pages, and without the cancelled ones unless they are asked for.
        query = [("includeCancelled", "true")]
        path = f"{self._store}/payouts"
        found = self._api.read(path, query=query, seconds=seconds, max_bytes=MAX_LIST_BYTES)
        made_here = (
            payout for payout in _list_of(found) if (payout.get("metadata") or {}).get(WITHDRAWAL_ID)
        )
        return [_payout(payout) for payout in in_slices(made_here, SLICE)]

    def problems(self, *, seconds: float) -> list[str]:
        # Also whether URL, store and key are right.
        found = self._api.read(f"{self._store}/invoices", query=[("take", "1")], seconds=seconds)
        if found is None:
            raise Unknown("the provider has no such store")
        if not self.payout_methods:
            return []
        path = f"/api/v1/pull-payments/{quote(self._pull_payment, safe='')}"
        pull_payment = self._api.read(path, seconds=seconds)
        if pull_payment is None:
            return ["BTCPAY_PULL_PAYMENT: there is no such pull payment"]
        wrong = {
            "must be in USD": pull_payment.get("currency") != USD,
            "is archived": pull_payment.get("archived"),
            "must not approve claims automatically": pull_payment.get("autoApproveClaims"),
        }
        return [
            f"BTCPAY_PULL_PAYMENT: the pull payment {what}" for what, is_wrong in wrong.items() if is_wrong
        ]

    def is_signed(self, headers: Mapping[str, str], body: bytes) -> bool:
        given = headers.get("btcpay-sig", "")
        expected = f"sha256={hmac.digest(self._webhook_secret.encode(), body, 'sha256').hex()}"
        return hmac.compare_digest(given.encode(), expected.encode())

    def read_webhook(self, body: bytes) -> Hint:
        event = decimal_json.loads(body)
        if not isinstance(event, dict):
            raise ValueError("not an event of BTCPay Server")
        texts = {name: event.get(name) for name in ("deliveryId", "invoiceId", "payoutId")}
        texts[ORDER_ID] = _metadata(event, ORDER_ID)
        if not texts["deliveryId"] or not all(_is_text(text) for text in texts.values()):
            raise ValueError("not an event of BTCPay Server")
        return Hint(
            delivery_id=texts["deliveryId"],
            invoice_id=texts["invoiceId"],
            order_id=texts[ORDER_ID],
            payout_id=texts["payoutId"],
        )

    def _list(self, seconds: float, *query: tuple[str, str]) -> Iterator[Invoice]:
        """All invoices of the store that the query selects, newest first. Some may come twice."""
        skip = 0
        while True:
            paged = [*query, ("includePaymentMethods", "true"), ("skip", str(skip)), ("take", str(PAGE))]
            found = _list_of(
                self._api.read(
                    f"{self._store}/invoices", query=paged, seconds=seconds, max_bytes=MAX_LIST_BYTES
                )
            )
            # Others, such as of a shop, may be anything.
            yield from (_invoice(each) for each in found if _metadata(each, ORDER_ID) is not None)
            if len(found) < PAGE:
                return
            # New invoices move the others on, so the next page may repeat some.
            skip += PAGE


def _payout_method(method: str) -> PayoutMethod:
    asset, _, kind = method.partition("-")
    name, hint = METHOD_NAMES.get(kind, ("{}", "An address"))
    return PayoutMethod(id=method, name=name.format(asset), address_hint=hint.format(asset))


def _payout_path(payout_id: str) -> str:
    return f"/api/v1/payouts/{quote(payout_id, safe='')}"


def _list_of(found: Any) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise Unknown("the provider's answer is not a list of objects")
    return found


def _invoice(found: Any) -> Invoice:
    """Raises Unknown for what is no invoice."""
    try:
        additional = found.get("additionalStatus", "None")
        payments = [
            (method, payment)
            for method in found.get("paymentMethods") or ()
            for payment in method.get("payments") or ()
        ]
        first = _first_payment(payments)
        received = [payment["receivedDate"] for _, payment in payments]
        return Invoice(
            id=_text(found["id"]),
            order_id=_metadata(found, ORDER_ID),
            secret=_metadata(found, DEPOSIT_SECRET),
            state=INVOICE_STATES[found["status"]],
            is_regular=additional in REGULAR,
            label=found["status"] if additional == "None" else f"{found['status']}, {additional}",
            currency=found["currency"],
            amount=_cents(found["amount"]),
            paid=_settled_usd(payments),
            checkout_url=_text(found.get("checkoutLink", "")),
            created_at=_millis(found["createdTime"]),
            changed_at=_millis(max([found["createdTime"], *received])),
            expires_at=_millis(found["expirationTime"]),
            monitored_until=_millis(found["monitoringExpiration"]),
            **first,
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation):
        raise Unknown("the provider's answer is not an invoice") from None


def _settled_usd(payments: Sequence[tuple[Any, Any]]) -> Decimal:
    """What settled payments are worth at the rates of the invoice, without the fees that were added."""
    return sum(
        (
            (Decimal(payment["value"]) - Decimal(payment.get("fee") or 0)) * Decimal(method["rate"])
            for method, payment in payments
            if payment["status"] == "Settled"
        ),
        start=Decimal(0),
    )


def _first_payment(payments: Sequence[tuple[Any, Any]]) -> dict[str, str]:
    """Where the first settled payment came from."""
    settled = [(method, payment) for method, payment in payments if payment["status"] == "Settled"]
    if not settled:
        return {}
    method, payment = min(settled, key=lambda pair: pair[1]["receivedDate"])
    return {
        "chain": _text(method["paymentMethodId"])[:64],
        "asset": _text(method.get("currency", ""))[:64],
        "asset_amount": format(Decimal(payment["value"]), "f")[:80],
        "txhash": _without_output(_text(payment["id"]))[:128],
    }


def _payout(found: Any) -> Payout:
    """Raises Unknown for what is no payout."""
    try:
        proof = found.get("paymentProof") or {}
        amount = found.get("payoutAmount")
        return Payout(
            id=_text(found["id"]),
            withdrawal_id=_metadata(found, WITHDRAWAL_ID),
            state=PAYOUT_STATES[found["state"]],
            label=found["state"],
            revision=int(found["revision"]),
            method=found.get("payoutMethodId") or "",
            currency=found["originalCurrency"],
            amount=_cents(found["originalAmount"]),
            destination=_text(found["destination"]),
            created_at=_millis(Decimal(found["date"])),
            asset=_text(found.get("payoutCurrency") or "")[:64],
            asset_amount="" if amount is None else format(Decimal(amount), "f")[:80],
            txhash=_without_output(_text(proof.get("id") or ""))[:128],
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation):
        raise Unknown("the provider's answer is not a payout") from None


def _without_output(payment_id: str) -> str:
    """The id of a transaction without the number of its output."""
    found = OUTPUT_NUMBER.fullmatch(payment_id)
    return found[1] if found else payment_id


def _metadata(found: dict[str, Any], key: str) -> str | None:
    """A text in the metadata, which strangers may have written."""
    metadata = found.get("metadata")
    value = metadata.get(key) if isinstance(metadata, dict) else None
    return value if isinstance(value, str) else None


def _is_text(value: Any) -> bool:
    return value is None or (isinstance(value, str) and is_storable(value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _cents(usd: Any) -> Cents | None:
    cents = Decimal(usd) * 100
    return Cents(int(cents)) if cents == cents.to_integral_value() else None


def _millis(seconds: Any) -> Millis:
    return Millis(int(seconds * 1000))
