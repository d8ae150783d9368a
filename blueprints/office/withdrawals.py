"""Withdrawals: the queue, and one withdrawal with what helps to decide about it."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs, needs_fresh_code
from blueprints.office.addresses import order, page_number
from blueprints.office.blueprint import office
from blueprints.office.lists import Listed, place
from blueprints.office.masking import is_shown, masking
from blueprints.office.results import attempt, new_form_key, perform_or_propose
from server.current_services import get_services
from services.payments import history
from services.payments.history import Direction
from services.payments.hold import current_hold
from services.payments.withdrawals import WithdrawalStatus
from services.shared.pagination import Place
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff import payment_lists, personal_data
from services.staff.payment_lists import WithdrawalOrder
from services.staff.permissions import Permission

LAST = Place(number=1, limit=10)


@office.get("/withdrawals")
@needs(Permission.PAYMENTS_SEE)
def withdrawals() -> str:
    status = request.args.get("status", "")
    statuses = [*WithdrawalStatus, payment_lists.ALL]
    status = status if status in statuses else WithdrawalStatus.REQUESTED
    # What waits for longest is first, and of the others what has changed last.
    default = "age" if status in payment_lists.OPEN else "-age"
    sorted_by, is_descending = order(list(WithdrawalOrder), default=default)
    now = get_services().clock()
    rows, has_next = payment_lists.queue(
        status=status,
        order=WithdrawalOrder(sorted_by),
        is_descending=is_descending,
        place=place(),
        now=now,
    )
    return render_template(
        "office/withdrawals.html",
        listed=Listed(rows, page_number(), has_next),
        hold=current_hold(),
        status=status,
        statuses=statuses,
        sorted_by=sorted_by,
        descending=is_descending,
        masked=personal_data.masked,
        now=now,
    )


@office.get("/withdrawals/<withdrawal_id>")
@needs(Permission.PAYMENTS_SEE)
def withdrawal(withdrawal_id: str) -> str:
    return _shown(withdrawal_id)


def _shown(withdrawal_id: str, *, sent: str = "", refusal: str | None = None) -> str:
    services = get_services()
    row = payment_lists.withdrawal(withdrawal_id, now=services.clock())
    user_id = row.player.id
    shows_all = is_shown(user_id=user_id, what=f"address of withdrawal {row.withdrawal.id}")
    return render_template(
        "office/withdrawal.html",
        row=row,
        hold=current_hold(),
        withdrawal=row.withdrawal,
        player=row.player,
        deposits=history.page(user_id=user_id, place=LAST, type_=Direction.DEPOSIT, status=history.ALL).rows,
        earlier=[
            each
            for each in history.page(
                user_id=user_id, place=LAST, type_=Direction.WITHDRAWAL, status=history.ALL
            ).rows
            if each.id != row.withdrawal.id
        ],
        above_cents=services.settings.withdrawal_four_eyes_above_cents,
        needs_two=services.settings.office_four_eyes,
        form_key=request.form.get("form_key") or new_form_key(),
        masked=masking(shows_all=shows_all),
        shows_all=shows_all,
        sent=sent,
        refusal=refusal,
        now=services.clock(),
    )


@office.post("/withdrawals/<withdrawal_id>/approve")
@needs(Permission.WITHDRAWALS_DECIDE)
@needs_fresh_code
def approve_withdrawal(withdrawal_id: str) -> Any:
    return _decided(
        withdrawal_id,
        "approve",
        lambda: perform_or_propose("withdrawal.approve", {"withdrawal": withdrawal_id}),
    )


@office.post("/withdrawals/<withdrawal_id>/reject")
@needs(Permission.WITHDRAWALS_DECIDE)
@needs_fresh_code
def reject_withdrawal(withdrawal_id: str) -> Any:
    services = get_services()

    def work() -> str:
        services.staff_decisions.reject(withdrawal_id=withdrawal_id, reason=_reason(), now=services.clock())
        return "The withdrawal was rejected, and the coins are back on the player's balance"

    return _decided(withdrawal_id, "reject", work)


@office.post("/withdrawals/<withdrawal_id>/complete")
@needs(Permission.WITHDRAWALS_DECIDE)
@needs_fresh_code
def complete_withdrawal(withdrawal_id: str) -> Any:
    services = get_services()

    def work() -> str:
        services.staff_decisions.complete(withdrawal_id=withdrawal_id, reason=_reason(), now=services.clock())
        return "The withdrawal is completed, and its coins have left"

    return _decided(withdrawal_id, "complete", work)


@office.post("/withdrawals/<withdrawal_id>/fail")
@needs(Permission.WITHDRAWALS_DECIDE)
@needs_fresh_code
def fail_withdrawal(withdrawal_id: str) -> Any:
    services = get_services()

    def work() -> str:
        services.staff_decisions.fail(payment_id=withdrawal_id, reason=_reason(), now=services.clock())
        return "The withdrawal has failed, and the coins are back on the player's balance"

    return _decided(withdrawal_id, "fail", work)


def _reason() -> str:
    return checked_reason(request.form.get("reason", ""), least=LEAST_OF_STAFF)


def _decided(withdrawal_id: str, form: str, work: Any) -> Any:
    return attempt(
        work,
        to=url_for("office.withdrawal", withdrawal_id=withdrawal_id),
        again=lambda refusal: _shown(withdrawal_id, sent=form, refusal=refusal),
    )
