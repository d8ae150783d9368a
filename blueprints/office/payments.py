"""Payments that staff must look at: deposits in review, discrepancies, and webhooks that failed."""

from typing import Any

from flask import render_template

from blueprints.office.access import is_shown, masking, require_fresh_code, require_permission
from blueprints.office.addresses import listed, place, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from blueprints.office.forms import form_of, submit, typed_cents, typed_reason
from server.current_services import get_services
from services.payments import discrepancies
from services.staff import payment_lists
from services.staff.money_actions import CreditDeposit, RetryWebhook
from services.staff.permissions import Permission
from services.staff.proposals import ActionResult

IN_REVIEW = {
    "deposit": "id",
    "player": "user.username",
    "platform id": "user.platform_id",
    "asked for": "amount_cents",
    "paid": "paid_cents",
    "method": "method",
    "why": "reason",
    "since": "changed_at_ms",
}


@office.get("/payments")
@require_permission(Permission.PAYMENTS_SEE)
def payments() -> Any:
    found = payment_lists.in_review(place=place())
    if wants_csv():
        return list_file("deposits-in-review", IN_REVIEW, found.rows)
    return render_template("office/payments.html", listed=listed(found))


@office.get("/deposits/<deposit_id>")
@require_permission(Permission.PAYMENTS_SEE)
def deposit(deposit_id: str) -> str:
    services = get_services()
    found, proposal = payment_lists.deposit(deposit_id, now=services.clock())
    return render_template(
        "office/deposit.html",
        deposit=found,
        proposal=proposal,
        above_cents=services.settings.office_four_eyes_above_cents,
    )


@office.post("/deposits/<deposit_id>/credit")
@require_permission(Permission.PAYMENTS_DECIDE)
@require_fresh_code
@form_of(deposit)
def credit_deposit(deposit_id: str) -> ActionResult:
    return submit(CreditDeposit.name, {"deposit": deposit_id, "amountCents": typed_cents("amount")})


@office.post("/deposits/<deposit_id>/fail")
@require_permission(Permission.PAYMENTS_DECIDE)
@form_of(deposit)
def fail_deposit(deposit_id: str) -> str:
    services = get_services()
    services.staff_decisions.fail_deposit(deposit_id=deposit_id, reason=typed_reason(), now=services.clock())
    return "The deposit was ended without crediting it"


DISCREPANCIES: Columns = {
    "kind": "kind",
    "about": "subject",
    "here": "ours",
    "there": "theirs",
    "platform id": "platform_id",
    "since": "found_at_ms",
}


@office.get("/payments/discrepancies")
@require_permission(Permission.PAYMENTS_SEE)
def payment_discrepancies() -> Any:
    shows_all = is_shown(user_id=None, what="addresses of discrepancies")
    found = payment_lists.discrepancies(place=place())
    if wants_csv():
        masked = masking(shows_all=shows_all)
        columns = {**DISCREPANCIES, "address": lambda row: masked(row.address)}
        return list_file("discrepancies", columns, found.rows)
    return render_template(
        "office/discrepancies.html",
        listed=listed(found),
        masked=masking(shows_all=shows_all),
        shows_all=shows_all,
    )


@office.post("/payments/discrepancies/<row_id:discrepancy_id>/close")
@require_permission(Permission.PAYMENTS_DECIDE)
@form_of(payment_discrepancies)
def close_discrepancy(discrepancy_id: int) -> str:
    found, now = discrepancies.get(discrepancy_id), get_services().clock()
    discrepancies.dismiss(kind=found.kind, subject=found.subject, reason=typed_reason(), now=now)
    return "The discrepancy was closed. It comes back only if the difference changes"


WEBHOOKS = {
    "number": "id",
    "from": "provider",
    "id": "delivery_id",
    "error": "error",
    "received": "received_at_ms",
    "processed": "processed_at_ms",
}


@office.get("/payments/webhooks")
@require_permission(Permission.PAYMENTS_SEE)
def failed_webhooks() -> Any:
    found = payment_lists.failed_webhooks(place=place())
    if wants_csv():
        return list_file("webhooks", WEBHOOKS, found.rows)
    return render_template(
        "office/webhooks.html",
        listed=listed(found),
        # Bodies have addresses, and what else the payment service knows.
        shows_all=is_shown(user_id=None, what="bodies of webhooks"),
        above_cents=get_services().settings.office_four_eyes_above_cents,
    )


@office.post("/payments/webhooks/<row_id:delivery_id>/retry")
@require_permission(Permission.PAYMENTS_DECIDE)
@form_of(failed_webhooks)
def retry_webhook(delivery_id: int) -> ActionResult:
    return submit(RetryWebhook.name, {"delivery": delivery_id})
