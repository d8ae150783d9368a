"""Payments that staff must look at: deposits in review, discrepancies, and webhooks that failed."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs, needs_fresh_code
from blueprints.office.blueprint import office
from blueprints.office.lists import listed, place
from blueprints.office.masking import is_shown, masking
from blueprints.office.results import attempt, new_form_key, perform_or_propose, typed_cents
from server.current_services import get_services
from services.payments import discrepancies
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff import payment_lists
from services.staff.permissions import Permission
from services.staff.proposals import Outcome


def _reason() -> str:
    return checked_reason(request.form.get("reason", ""), least=LEAST_OF_STAFF)


@office.get("/payments")
@needs(Permission.PAYMENTS_SEE)
def payments() -> str:
    return render_template("office/payments.html", listed=listed(payment_lists.in_review(place=place())))


@office.get("/deposits/<deposit_id>")
@needs(Permission.PAYMENTS_SEE)
def deposit(deposit_id: str) -> str:
    return _deposit(deposit_id)


def _deposit(deposit_id: str, *, sent: str = "", refusal: str | None = None) -> str:
    services = get_services()
    found, proposal = payment_lists.deposit(deposit_id, now=services.clock())
    return render_template(
        "office/deposit.html",
        deposit=found,
        proposal=proposal,
        above_cents=services.settings.office_four_eyes_above_cents,
        needs_two=services.settings.office_four_eyes,
        form_key=request.form.get("form_key") or new_form_key(),
        sent=sent,
        refusal=refusal,
    )


@office.post("/deposits/<deposit_id>/credit")
@needs(Permission.PAYMENTS_DECIDE)
@needs_fresh_code
def credit_deposit(deposit_id: str) -> Any:
    def work() -> Outcome:
        arguments = {"deposit": deposit_id, "amountCents": typed_cents(request.form.get("amount", ""))}
        return perform_or_propose("deposit.credit", arguments)

    return attempt(
        work,
        to=url_for("office.deposit", deposit_id=deposit_id),
        again=lambda refusal: _deposit(deposit_id, sent="credit", refusal=refusal),
    )


@office.post("/deposits/<deposit_id>/fail")
@needs(Permission.PAYMENTS_DECIDE)
def fail_deposit(deposit_id: str) -> Any:
    services = get_services()

    def work() -> str:
        services.staff_decisions.fail_deposit(deposit_id=deposit_id, reason=_reason(), now=services.clock())
        return "The deposit was ended without crediting it"

    return attempt(
        work,
        to=url_for("office.deposit", deposit_id=deposit_id),
        again=lambda refusal: _deposit(deposit_id, sent="fail", refusal=refusal),
    )


@office.get("/payments/discrepancies")
@needs(Permission.PAYMENTS_SEE)
def payment_discrepancies() -> str:
    return _discrepancies()


def _discrepancies(*, sent: int | None = None, refusal: str | None = None) -> str:
    found = listed(payment_lists.discrepancies(place=place()))
    shows_all = is_shown(user_id=None, what="addresses of discrepancies")
    return render_template(
        "office/discrepancies.html",
        listed=found,
        masked=masking(shows_all=shows_all),
        shows_all=shows_all,
        sent=sent,
        refusal=refusal,
    )


@office.post("/payments/discrepancies/<row_id:discrepancy_id>/close")
@needs(Permission.PAYMENTS_DECIDE)
def close_discrepancy(discrepancy_id: int) -> Any:
    services = get_services()

    def work() -> str:
        found = discrepancies.get(discrepancy_id)
        discrepancies.dismiss(kind=found.kind, subject=found.subject, reason=_reason(), now=services.clock())
        return "The discrepancy was closed. It comes back only if the difference changes"

    return attempt(
        work,
        to=url_for("office.payment_discrepancies"),
        again=lambda refusal: _discrepancies(sent=discrepancy_id, refusal=refusal),
    )


@office.get("/payments/webhooks")
@needs(Permission.PAYMENTS_SEE)
def failed_webhooks() -> str:
    return _webhooks()


def _webhooks(*, sent: int | None = None, refusal: str | None = None) -> str:
    services = get_services()
    found = listed(payment_lists.failed_webhooks(place=place()))
    # Bodies have addresses, and what else the payment service knows.
    shows_all = is_shown(user_id=None, what="bodies of webhooks")
    return render_template(
        "office/webhooks.html",
        listed=found,
        shows_all=shows_all,
        needs_two=services.settings.office_four_eyes,
        above_cents=services.settings.office_four_eyes_above_cents,
        new_form_key=new_form_key,
        sent=sent,
        refusal=refusal,
    )


@office.post("/payments/webhooks/<row_id:delivery_id>/retry")
@needs(Permission.PAYMENTS_DECIDE)
def retry_webhook(delivery_id: int) -> Any:
    return attempt(
        lambda: perform_or_propose("webhook.retry", {"delivery": delivery_id}),
        to=url_for("office.failed_webhooks"),
        again=lambda refusal: _webhooks(sent=delivery_id, refusal=refusal),
    )
