"""/payments: the caller's deposits, withdrawals and address book."""

from collections.abc import Callable
from typing import Any, TypeVar

from flask import request

from blueprints.api.auth import current_user, require_two_factor, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.pagination import list_answer
from blueprints.payments.schemas import (
    AddressAnswerSchema,
    AddressesSchema,
    DepositAnswerSchema,
    MethodsSchema,
    NewAddressSchema,
    NewDepositSchema,
    NewWithdrawalSchema,
    PaymentsQuery,
    PaymentsSchema,
    WithdrawalAnswerSchema,
)
from models.payments import Deposit, Withdrawal
from server.current_services import get_services
from server.http.rate_limit import LONG_LIST, count_as
from server.schemas import SuccessSchema
from services.accounts import users
from services.payments import history, rows
from services.payments.errors import InvalidAddress, InvalidAddressName, UnknownMethod
from services.shared.errors import Refusal
from services.shared.money import Cents, cents_from_number
from sockets.player_state import player_state

blueprint = ApiBlueprint("payments", __name__, url_prefix="/payments", description="Deposits and withdrawals")

View = TypeVar("View", bound=Callable[..., Any])

KEY_HEADER = "Idempotency-Key"


def takes_idempotency_key(view: View) -> View:
    """Document the header, and the answers that it can cause."""
    parameter = {
        "in": "header",
        "name": KEY_HEADER,
        "description": "1 to 64 printable characters. The same key with the same body makes nothing new: the"
        " answer is 200 and the first request's result as it is now. With another body: 409",
        "schema": {"type": "string", "minLength": 1, "maxLength": 64, "examples": ["b7a3c1d2"]},
    }
    documented: View = blueprint.doc(parameters=[parameter])(view)
    return documented


@blueprint.get("/methods")
@require_user
@blueprint.response(200, MethodsSchema)
def list_payment_methods() -> dict[str, list[dict[str, Any]]]:
    """The methods that can be used now, with the smallest and the largest amount."""
    return get_services().payment_providers.available_methods()


@blueprint.post("/deposits")
@require_user
@takes_idempotency_key
@blueprint.arguments(NewDepositSchema)
@blueprint.response(201, DepositAnswerSchema)
@blueprint.alt_response(200, schema=DepositAnswerSchema)
@blueprint.alt_response(403)
@blueprint.alt_response(409)
@blueprint.alt_response(502)
def make_deposit(body: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Ask for a deposit; the player pays at its `checkoutUrl`. The event `payments:changed` follows.

    A deposit limit of the caller refuses with 400 and `limit`, `period` and `resetsAt`; a break with 403.
    With `bonus` the caller takes the bonus of GET /rewards: 400 `There is no bonus for this deposit`.
    502 when the provider refuses, 503 when it is not available: then the idempotency key can be used again.
    """
    services = get_services()
    deposit, is_new = services.deposits.create(
        user_id=current_user().id,
        method=_text(body["method"], UnknownMethod),
        amount=_amount(body),
        takes_bonus=body["bonus"] is True,
        idempotency_key=request.headers.get(KEY_HEADER),
        now=services.clock(),
    )
    return {"deposit": deposit}, 201 if is_new else 200


@blueprint.get("/deposits/<deposit_id>")
@require_user
@blueprint.response(200, DepositAnswerSchema)
@blueprint.alt_response(404)
def get_deposit(deposit_id: str) -> dict[str, Any]:
    """One of the caller's deposits."""
    return {"deposit": rows.get(Deposit, deposit_id, user_id=current_user().id)}


@blueprint.post("/deposits/<deposit_id>/cancel")
@require_user
@blueprint.response(200, SuccessSchema)
@blueprint.alt_response(400)
@blueprint.alt_response(404)
def cancel_deposit(deposit_id: str) -> dict[str, Any]:
    """Cancel one of the caller's deposits, while it is open and nothing was paid. It is `expired` then.

    It does not count for the deposit limit any more. Money that comes all the same is for staff to decide.
    The event `payments:changed` follows.
    """
    services = get_services()
    deposit = rows.get(Deposit, deposit_id, user_id=current_user().id)
    services.deposits.cancel(deposit, now=services.clock())
    return {"success": True}


@blueprint.post("/withdrawals")
@require_user
@require_two_factor
@takes_idempotency_key
@blueprint.arguments(NewWithdrawalSchema)
@blueprint.response(201, WithdrawalAnswerSchema)
@blueprint.alt_response(200, schema=WithdrawalAnswerSchema)
@blueprint.alt_response(409)
def request_withdrawal(body: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Request a withdrawal, which can't be cancelled. Its coins leave the balance at once.

    The events `balance` and `payments:changed` follow. 400 `Wager your deposits first` says in `missing` how
    much. If new addresses have to wait, it goes only to one of the address book that has waited: 400 `Add
    this address first`, or `This address can be used from 2026-03-18T12:00:00Z` with `usableFrom`. 400 `Your
    bonus would be lost` unless `forfeitBonus` is true: `amount` is the bonus, `missing` the wagers that would
    earn it.
    """
    services, user_id = get_services(), current_user().id
    withdrawal, is_new = services.withdrawals.request(
        user_id=user_id,
        method=_text(body["method"], UnknownMethod),
        amount=_amount(body),
        to=_text(body["to"], InvalidAddress),
        forfeit_bonus=body["forfeit_bonus"] is True,
        idempotency_key=request.headers.get(KEY_HEADER),
        now=services.clock(),
    )
    player_state().send(user_id, users.get_by_id(user_id))
    return {"withdrawal": withdrawal}, 201 if is_new else 200


@blueprint.get("/withdrawals/<withdrawal_id>")
@require_user
@blueprint.response(200, WithdrawalAnswerSchema)
@blueprint.alt_response(404)
def get_withdrawal(withdrawal_id: str) -> dict[str, Any]:
    """One of the caller's withdrawals."""
    return {"withdrawal": rows.get(Withdrawal, withdrawal_id, user_id=current_user().id)}


@blueprint.get("/addresses")
@require_user
@blueprint.response(200, AddressesSchema)
def list_addresses() -> dict[str, Any]:
    """The caller's address book, and how long a new address waits."""
    book = get_services().address_book
    return {"addresses": book.of_player(current_user().id), "delay_ms": book.delay_ms}


@blueprint.post("/addresses")
@require_user
@require_two_factor
@blueprint.arguments(NewAddressSchema)
@blueprint.response(201, AddressAnswerSchema)
@blueprint.alt_response(200, schema=AddressAnswerSchema)
def add_address(body: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Add an address to the address book. Withdrawals can go to it from `usableFrom` on.

    The event `payments:address-added` and a notification follow. The same one again makes nothing new: the
    answer is 200. One that was deleted waits anew.
    """
    services = get_services()
    entry, is_new = services.address_book.add(
        user_id=current_user().id,
        method=_text(body["method"], UnknownMethod),
        name=_text(body["name"], InvalidAddressName),
        address=_text(body["address"], InvalidAddress),
        now=services.clock(),
    )
    return {"address": entry}, 201 if is_new else 200


@blueprint.delete("/addresses/<address_id>")
@require_user
@blueprint.response(200, SuccessSchema)
@blueprint.alt_response(404)
def delete_address(address_id: str) -> dict[str, Any]:
    """Delete an address of the address book. Withdrawals that were requested still go to it."""
    services = get_services()
    services.address_book.delete(user_id=current_user().id, entry_id=address_id, now=services.clock())
    return {"success": True}


@blueprint.get("")
@count_as(LONG_LIST)
@require_user
@blueprint.arguments(PaymentsQuery, location="query")
@blueprint.response(200, PaymentsSchema)
def list_deposits_and_withdrawals(query: dict[str, Any]) -> dict[str, Any]:
    """One page of the caller's deposits and withdrawals, newest first.

    What the operator has recorded is in /stats/payments only.
    """
    found = history.page(
        user_id=current_user().id, place=query["place"], type_=query["type"], status=query["status"]
    )
    return list_answer(query["place"], found)


def _text(value: object, refusal: type[Refusal]) -> str:
    """A value of the body that must be a text. Raises ``refusal`` if it is another."""
    if not isinstance(value, str):
        raise refusal
    return value


def _amount(body: dict[str, Any]) -> Cents:
    return cents_from_number(body["amount"], least=Cents(1))
