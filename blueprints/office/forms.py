"""Forms that change something: what follows one, and the fields that several of them have."""

import re
import secrets
from collections.abc import Callable
from decimal import Decimal
from functools import wraps
from http import HTTPStatus
from inspect import signature
from typing import Any

from flask import flash, redirect, request, url_for

from blueprints.office.access import current_staff, refuse
from server.current_services import get_services
from services.shared.errors import Refusal
from services.shared.money import MAX_AMOUNT_CENTS, Cents, InvalidAmount, cents_from_number
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff.proposals import ActionResult, NotPermitted

SHOWN_AS_PAGES = (HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE)

MAX_KEY = 32

AMOUNT = re.compile(r"-?\$?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,10})(?:\.[0-9]{1,2})?", re.ASCII)
"""A comma is between thousands only: 12,50 is what many people mean by 12.50, and is refused."""

View = Callable[..., Any]


def form_of(page: View, *, then: Callable[..., str] | None = None) -> Callable[[View], View]:
    """Let a view handle a form of ``page``, the view of a page with the same arguments or fewer.

    The view returns what was done: a sentence or an ActionResult. The browser is sent back to the page, or to
    the address that ``then`` makes of the arguments, which says it. If the view raises a Refusal, the answer
    is the page with its text; the macro ``action_form`` keeps what was typed. A lack of permission is
    recorded, and the answer is 403.
    """
    names = signature(page).parameters

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**arguments: Any) -> Any:
            of_page = {name: value for name, value in arguments.items() if name in names}
            try:
                result = view(**arguments)
            except NotPermitted as refusal:
                refuse(refusal.permission)
            except Refusal as refusal:
                if refusal.status in SHOWN_AS_PAGES:
                    raise
                flash(sentence(refusal.text), "bad")
                return page(**of_page), refusal.status
            if isinstance(result, ActionResult):
                flash(sentence(result.message), "good" if result.is_done else "waiting")
            else:
                flash(sentence(result), "good")
            address = then(**arguments) if then else url_for(f"office.{page.__name__}", **of_page)
            return redirect(address, HTTPStatus.SEE_OTHER)

        return wrapper

    return decorator


def submit(action: str, arguments: dict[str, Any]) -> ActionResult:
    """Perform the action of the form with its reason, or propose it to a second person."""
    services = get_services()
    return services.proposals.perform_or_propose(
        action,
        arguments,
        reason=typed_reason(),
        by=current_staff(),
        now=services.clock(),
        form_key=typed("form_key")[:MAX_KEY] or None,
    )


def typed(name: str) -> str:
    """The text of a field."""
    return request.form.get(name, "")


def typed_reason() -> str:
    """The reason that every change needs. Raises Refusal for one that is too short or too long."""
    return checked_reason(typed("reason"), least=LEAST_OF_STAFF)


def typed_cents(name: str, *, is_signed: bool = False) -> Cents:
    """The cents of an amount such as 1,234.50. Raises Refusal."""
    text = typed(name).strip()
    digits = text.replace(",", "").replace("$", "")
    try:
        number = Decimal(digits) if AMOUNT.fullmatch(text) else None
        return cents_from_number(number, least=Cents(-MAX_AMOUNT_CENTS if is_signed else 1))
    except InvalidAmount:
        raise Refusal("the amount must be a number with at most two decimals, such as 1,234.50") from None


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop, but not after an address that ends it."""
    if "://" in text.rsplit(" ", maxsplit=1)[-1]:
        return text
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def new_form_key() -> str:
    """A key by which a form that is sent twice does its work once."""
    return secrets.token_hex(16)
