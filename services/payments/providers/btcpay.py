"""BTCPay Server: deposits are invoices, withdrawals are payouts of one pull payment in USD.

A payout without a pull payment would be in the payout's own currency: "60.00" would be 60 BTC.
"""

import hmac
import logging
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from models.payments import Deposit, Withdrawal
from services.payments.provider import (
    CALL_SECONDS,
    LOOK_SECONDS,
    USD,
    Hint,
    Invoice,
    OutcomeUnknown,
    Payout,
    PayoutMethod,
    Provider,
)
from services.payments.providers.btcpay_answers import (
    DEPOSIT_SECRET,
    ORDER_ID,
    PLATFORM_ID,
    WITHDRAWAL_ID,
    metadata,
    optional_text,
    own_payouts,
    parse_invoice,
    parse_list,
    parse_payout,
)
from services.payments.providers.btcpay_api import MAX_LIST_BYTES, BtcPayApi
from services.shared import decimal_json
from services.shared.background import in_slices
from services.shared.clock import Millis
from services.shared.money import decimal_text
from services.shared.text import is_storable
from settings import Settings

log = logging.getLogger("platform.payments")

LEAST_SECONDS = 0.5
"""How long the second question about an invoice may take at least."""

PAGE = 100
"""Invoices in one answer."""

SLICE = 100
"""Payouts that are read between two pauses. The list has all that were ever made."""

VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})\.([0-9]{1,4})")
OLDEST = (2, 0, 0)
SINCE = {
    (2, 3, 6): "the payments in its lists of invoices, so each invoice is asked about by itself",
    (2, 4, 1): "the payments in its answer about one invoice, so it is asked for them separately",
}
"""What a release has that the ones before it lack."""

METHOD_NAMES = {
    "CHAIN": ("{} on the blockchain", "A {} address"),
    "LN": ("{} over Lightning", "A Lightning invoice without an amount, or a Lightning address"),
}
PULL_PAYMENT = re.compile(r'("pullPaymentId"\s*:\s*)"(?:[^"\\]|\\.)*"')


class BtcPay(Provider):
    """One store of a BTCPay Server."""

    name = "btcpay"
    title = "Cryptocurrency"

    def __init__(self, settings: Settings) -> None:
        self.payout_methods = [_payout_method(method) for method in settings.btcpay_payout_methods]
        self._api = BtcPayApi(url=settings.btcpay_url, api_key=settings.btcpay_api_key)
        self._store = f"/api/v1/stores/{quote(settings.btcpay_store, safe='')}"
        self._webhook_secret = settings.btcpay_webhook_secret
        self._pull_payment = settings.btcpay_pull_payment
        self._redirect_url = settings.frontend_url

    def create_invoice(self, deposit: Deposit, *, platform_id: str) -> Invoice:
        body = {
            "amount": decimal_text(deposit.amount_cents),
            "currency": USD,
            "metadata": {ORDER_ID: deposit.id, DEPOSIT_SECRET: deposit.secret, PLATFORM_ID: platform_id},
            # The store may settle invoices that are not paid in full.
            "checkout": {"paymentTolerance": 0, "redirectURL": self._redirect_url},
        }
        return parse_invoice(self._api.write("POST", f"{self._store}/invoices", body=body), None)

    def get_invoice(self, invoice_id: str) -> Invoice | None:
        # Below the store, where all releases of 2.x have it.
        path = f"{self._store}/invoices/{quote(invoice_id, safe='')}"
        ends_at = time.monotonic() + CALL_SECONDS
        found = self._api.read(path)
        if found is None:
            return None
        # After the state: a settled invoice must not be shown without its last payment. Releases before 2.4.1
        # name the payments nowhere else.
        left = max(ends_at - time.monotonic(), LEAST_SECONDS)
        return parse_invoice(found, parse_list(self._api.read(f"{path}/payment-methods", seconds=left)))

    def find_invoices(self, deposit_id: str) -> Sequence[Invoice]:
        return [
            parse_invoice(found, None)
            for found in self._pages_of_invoices("orderId", deposit_id)
            if metadata(found, ORDER_ID) == deposit_id
        ]

    def list_invoices(self, *, since: Millis) -> Iterator[Invoice]:
        for found in self._pages_of_invoices("startDate", str(since // 1000)):
            try:
                yield parse_invoice(found, found.get("paymentMethods"))
            except OutcomeUnknown as error:
                log.warning("invoice left out: %s", error)

    def create_payout(self, withdrawal: Withdrawal, *, platform_id: str) -> Payout:
        body = {
            "destination": withdrawal.destination,
            "amount": decimal_text(withdrawal.amount_cents),
            "payoutMethodId": withdrawal.method,
            "pullPaymentId": self._pull_payment,
            "approved": False,
            "metadata": {WITHDRAWAL_ID: withdrawal.id, PLATFORM_ID: platform_id},
        }
        return parse_payout(self._api.write("POST", f"{self._store}/payouts", body=body))

    def approve(self, payout: Payout) -> None:
        self._api.write("POST", self._payout_path(payout.id), body={"revision": payout.revision})

    def cancel(self, payout_id: str) -> None:
        self._api.write("DELETE", self._payout_path(payout_id))

    def get_payout(self, payout_id: str) -> Payout | None:
        found = self._api.read(self._payout_path(payout_id))
        return None if found is None else parse_payout(found)

    def list_payouts(self) -> Sequence[Payout]:
        # Without a search, without pages, and without the cancelled ones unless they are asked for.
        query = [("includeCancelled", "true")]
        found = self._api.read(f"{self._store}/payouts", query=query, max_bytes=MAX_LIST_BYTES)
        return [parse_payout(payout) for payout in in_slices(own_payouts(found), SLICE)]

    def about_version(self) -> tuple[list[str], list[str]]:
        found = self._api.read("/api/v1/server/info", seconds=LOOK_SECONDS)
        version = optional_text(found.get("version"), most=32) if isinstance(found, dict) else ""
        numbers = VERSION.match(version)
        if numbers is None:
            return [], ["BTCPay Server does not name its version"]
        release, name = tuple(int(number) for number in numbers.groups()), f"BTCPay Server {numbers[0]}"
        if release < OLDEST:
            return [f"{name} is too old: 2.0.0 or later is needed"], []
        lacking = [f"{name} lacks {what}" for since, what in SINCE.items() if release < since]
        return [], lacking or [f"{name} lacks nothing"]

    def problems(self) -> list[str]:
        # Also whether URL, store and key are right.
        found = self._api.read(f"{self._store}/invoices", query=[("take", "1")], seconds=LOOK_SECONDS)
        if found is None:
            raise OutcomeUnknown("the provider has no such store")
        if not self.payout_methods:
            return []
        path = f"/api/v1/pull-payments/{quote(self._pull_payment, safe='')}"
        pull_payment = self._api.read(path, seconds=LOOK_SECONDS)
        if pull_payment is None:
            return ["BTCPAY_PULL_PAYMENT: there is no such pull payment"]
        if not isinstance(pull_payment, dict):
            raise OutcomeUnknown("the provider's answer is not a pull payment")
        wrong = {
            "must be in USD": pull_payment.get("currency") != USD,
            "is archived": pull_payment.get("archived") is not False,
            "must not approve claims automatically": pull_payment.get("autoApproveClaims") is not False,
        }
        return [
            f"BTCPAY_PULL_PAYMENT: the pull payment {what}" for what, is_wrong in wrong.items() if is_wrong
        ]

    def storable(self, text: str) -> str:
        # Whoever knows the pull payment sees the addresses of all payouts.
        hidden = PULL_PAYMENT.sub(r"\1null", text)
        return hidden.replace(self._pull_payment, "...") if self._pull_payment else hidden

    def is_signed(self, headers: Mapping[str, str], body: bytes) -> bool:
        given = headers.get("btcpay-sig", "")
        expected = f"sha256={hmac.digest(self._webhook_secret.encode(), body, 'sha256').hex()}"
        return hmac.compare_digest(given.encode(), expected.encode())

    def read_webhook(self, body: bytes) -> Hint:
        event = decimal_json.loads(body)
        if not isinstance(event, dict):
            raise ValueError("not an event of BTCPay Server")
        texts = {name: event.get(name) for name in ("deliveryId", "invoiceId", "payoutId")}
        texts[ORDER_ID] = metadata(event, ORDER_ID)
        if not texts["deliveryId"] or not all(_is_text(text) for text in texts.values()):
            raise ValueError("not an event of BTCPay Server")
        return Hint(
            delivery_id=texts["deliveryId"],
            invoice_id=texts["invoiceId"],
            order_id=texts[ORDER_ID],
            payout_id=texts["payoutId"],
        )

    def _pages_of_invoices(self, name: str, value: str) -> Iterator[dict[str, Any]]:
        """All invoices of the store with this parameter, newest first. Some may come twice."""
        path, skip = f"{self._store}/invoices", 0
        while True:
            query = {name: value, "includePaymentMethods": "true", "skip": str(skip), "take": str(PAGE)}
            found = parse_list(self._api.read(path, query=[*query.items()], max_bytes=MAX_LIST_BYTES))
            # Others, such as of a shop, may be anything.
            yield from (each for each in found if metadata(each, ORDER_ID) is not None)
            if len(found) < PAGE:
                return
            # New invoices move the others on, so the next page may repeat some.
            skip += PAGE

    def _payout_path(self, payout_id: str) -> str:
        return f"{self._store}/payouts/{quote(payout_id, safe='')}"


def _payout_method(method: str) -> PayoutMethod:
    asset, _, kind = method.partition("-")
    name, hint = METHOD_NAMES.get(kind, ("{}", "An address"))
    return PayoutMethod(id=method, name=name.format(asset), address_hint=hint.format(asset))


def _is_text(value: Any) -> bool:
    return value is None or (isinstance(value, str) and is_storable(value))
