"""Withdrawals: the queue, and one withdrawal with what helps to decide about it."""

from typing import Any

from flask import render_template, request

from blueprints.office.access import is_shown, masking, require_fresh_code, require_permission
from blueprints.office.addresses import listed, order, place, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from blueprints.office.forms import form_of, submit, typed_reason
from models.payments import WithdrawalStatus
from server.current_services import get_services
from services.payments import history
from services.payments.history import EntryType
from services.payments.hold import current_hold
from services.shared.pagination import Place
from services.staff import payment_lists, personal_data
from services.staff.money_actions import ApproveWithdrawal
from services.staff.permissions import Permission
from services.staff.proposals import ActionResult

LAST = Place(number=1, limit=10)


WITHDRAWALS: Columns = {
    "withdrawal": "withdrawal.id",
    "player": "player.username",
    "platform id": "player.platform_id",
    "status": "withdrawal.status",
    "amount": "withdrawal.amount_cents",
    "asked for": "withdrawal.created_at_ms",
    "method": "withdrawal.method",
    "to": lambda row: personal_data.masked(row.withdrawal.destination),
    "check": "withdrawal.check_decision",
    "deposited": "history.deposited_cents",
    "wagered": "history.wagered_cents",
    "withdrawn": "history.paid_out_cents",
    "rejected": "history.rejected",
}


@office.get("/withdrawals")
@require_permission(Permission.PAYMENTS_SEE)
def withdrawals() -> Any:
    status = request.args.get("status", "")
    statuses = [*WithdrawalStatus, payment_lists.ALL]
    status = status if status in statuses else WithdrawalStatus.REQUESTED
    # What waits for longest is first, and of the others what has changed last.
    default = "age" if status in payment_lists.OPEN else "-age"
    sorted_by, is_descending = order(payment_lists.ORDERS, default=default)
    now = get_services().clock()
    found = payment_lists.queue(
        status=status,
        order=sorted_by,
        is_descending=is_descending,
        place=place(),
        now=now,
    )
    if wants_csv():
        return list_file(f"withdrawals-{status}", WITHDRAWALS, found.rows)
    return render_template(
        "office/withdrawals.html",
        listed=listed(found),
        hold=current_hold(),
        status=status,
        statuses=statuses,
        sorted_by=sorted_by,
        descending=is_descending,
        masked=personal_data.masked,
        now=now,
    )


@office.get("/withdrawals/<withdrawal_id>")
@require_permission(Permission.PAYMENTS_SEE)
def withdrawal(withdrawal_id: str) -> str:
    services = get_services()
    row = payment_lists.withdrawal(withdrawal_id, now=services.clock())
    user_id = row.player.id
    shows_all = is_shown(user_id=user_id, what=f"address of withdrawal {row.withdrawal.id}")
    last_deposits, last_withdrawals = (
        history.page(user_id=user_id, place=LAST, type_=type_, status=EntryType.ALL).rows
        for type_ in (EntryType.DEPOSIT, EntryType.WITHDRAWAL)
    )
    return render_template(
        "office/withdrawal.html",
        row=row,
        hold=current_hold(),
        withdrawal=row.withdrawal,
        player=row.player,
        deposits=last_deposits,
        earlier=[each for each in last_withdrawals if each.id != row.withdrawal.id],
        above_cents=services.settings.withdrawal_four_eyes_above_cents,
        masked=masking(shows_all=shows_all),
        shows_all=shows_all,
        now=services.clock(),
    )


@office.post("/withdrawals/<withdrawal_id>/approve")
@require_permission(Permission.WITHDRAWALS_DECIDE)
@require_fresh_code
@form_of(withdrawal)
def approve_withdrawal(withdrawal_id: str) -> ActionResult:
    return submit(ApproveWithdrawal.name, {"withdrawal": withdrawal_id})


@office.post("/withdrawals/<withdrawal_id>/reject")
@require_permission(Permission.WITHDRAWALS_DECIDE)
@require_fresh_code
@form_of(withdrawal)
def reject_withdrawal(withdrawal_id: str) -> str:
    services, reason = get_services(), typed_reason()
    services.staff_decisions.reject(withdrawal_id=withdrawal_id, reason=reason, now=services.clock())
    return "The withdrawal was rejected, and the coins are back on the player's balance"


@office.post("/withdrawals/<withdrawal_id>/complete")
@require_permission(Permission.WITHDRAWALS_DECIDE)
@require_fresh_code
@form_of(withdrawal)
def complete_withdrawal(withdrawal_id: str) -> str:
    services, reason = get_services(), typed_reason()
    services.staff_decisions.complete(withdrawal_id=withdrawal_id, reason=reason, now=services.clock())
    return "The withdrawal is completed, and its coins have left"


@office.post("/withdrawals/<withdrawal_id>/fail")
@require_permission(Permission.WITHDRAWALS_DECIDE)
@require_fresh_code
@form_of(withdrawal)
def fail_withdrawal(withdrawal_id: str) -> str:
    services, reason = get_services(), typed_reason()
    services.staff_decisions.fail_withdrawal(withdrawal_id=withdrawal_id, reason=reason, now=services.clock())
    return "The withdrawal has failed, and the coins are back on the player's balance"
