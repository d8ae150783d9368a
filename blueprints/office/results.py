"""What follows a form: a redirect with a message, or the page again with what was typed and why not."""

import re
import secrets
from collections.abc import Callable
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from flask import flash, redirect, request

from blueprints.office.access import current_staff, refuse
from server.current_services import get_services
from services.shared.errors import Refusal
from services.shared.money import MAX_AMOUNT_CENTS, Cents, InvalidAmount, cents_from_number
from services.staff.proposals import NotPermitted, Outcome

SHOWN_AS_PAGES = (HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE)

MAX_KEY = 32

AMOUNT = re.compile(r"-?\$?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,10})(?:\.[0-9]{1,2})?", re.ASCII)
"""A comma is between thousands only: 12,50 is what many people mean by 12.50, and is refused."""

Again = Callable[[str], Any]
"""Makes the page again, with the text of the refusal."""


def attempt(work: Callable[[], str | Outcome], *, to: str, again: Again) -> Any:
    """Do what a form asks for, and redirect to a page that says what was done.

    If it is refused, the answer is the page again. If the role does not allow it, that is recorded.
    """
    try:
        result = work()
    except NotPermitted as refusal:
        refuse(refusal.permission)
    except Refusal as refusal:
        if refusal.status in SHOWN_AS_PAGES:
            raise
        return again(sentence(refusal.text)), refusal.status
    if isinstance(result, Outcome):
        flash(sentence(result.message), "good" if result.is_done else "waiting")
    else:
        flash(sentence(result), "good")
    return redirect(to, HTTPStatus.SEE_OTHER)


def perform_or_propose(action: str, arguments: dict[str, Any]) -> Outcome:
    """Do what the form asks for, with its reason, or propose it to a second person."""
    services = get_services()
    return services.proposals.perform_or_propose(
        action,
        arguments,
        reason=request.form.get("reason", ""),
        by=current_staff(),
        now=services.clock(),
        form_key=request.form.get("form_key", "")[:MAX_KEY] or None,
    )


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop, but not after an address that ends it."""
    if "://" in text.rsplit(" ", maxsplit=1)[-1]:
        return text
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def typed_cents(text: str, *, is_signed: bool = False) -> Cents:
    """The cents of an amount that somebody typed, such as 1,234.50. Raises Refusal."""
    refusal = Refusal("the amount must be a number with at most two decimals, such as 1,234.50")
    text = text.strip()
    if not AMOUNT.fullmatch(text):
        raise refusal
    try:
        number = Decimal(text.replace(",", "").replace("$", ""))
        return cents_from_number(number, least=Cents(-MAX_AMOUNT_CENTS if is_signed else 1))
    except InvalidAmount:
        raise refusal from None


def new_form_key() -> str:
    """A key by which a form that is sent twice does its work once."""
    return secrets.token_hex(16)
