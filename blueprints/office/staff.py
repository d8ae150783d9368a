"""Accounts of staff and what may be changed about them, and the state of the logs."""

from collections.abc import Callable
from typing import Any

from flask import render_template

from blueprints.office.access import require_fresh_code, require_permission
from blueprints.office.addresses import order, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from blueprints.office.forms import form_of, submit, typed, typed_reason
from models.log import last_signed_at
from models.staff import StaffAccount
from server.current_services import get_services
from services.log.sequencer import stored_log
from services.staff import accounts, sessions
from services.staff.account_actions import AddStaff, ChangeRole, DisableStaff, ResetStaff
from services.staff.permissions import Permission, Role
from services.staff.proposals import ActionResult

COLUMNS: dict[str, Callable[[StaffAccount], Any]] = {
    "name": lambda account: account.name,
    "role": lambda account: (account.role, account.name),
    "login": lambda account: (account.last_login_at_ms or 0, account.name),
}
"""The keys of ``?sort=``, and what each sorts by."""


STAFF: Columns = {
    "name": "name",
    "role": "role",
    "last sign-in": "last_login_at_ms",
    "disabled": "disabled_at_ms",
}


@office.get("/staff")
@require_permission(Permission.STAFF_SEE)
def staff() -> Any:
    sorted_by, is_descending = order(COLUMNS, default="name")
    found = sorted(accounts.listed(), key=COLUMNS[sorted_by], reverse=is_descending)
    if wants_csv():
        return list_file("staff", STAFF, found)
    return render_template(
        "office/staff.html",
        accounts=found,
        running=sessions.running(now=get_services().clock()),
        sorted_by=sorted_by,
        is_descending=is_descending,
        roles=list(Role),
        log=stored_log(),
        signed_at=last_signed_at(),
    )


@office.post("/staff/add")
@require_permission(Permission.STAFF_CHANGE)
@require_fresh_code
@form_of(staff)
def add_staff() -> ActionResult:
    return submit(AddStaff.name, {"name": typed("name").strip(), "role": typed("role")})


@office.get("/staff/<name>")
@require_permission(Permission.STAFF_SEE)
def staff_member(name: str) -> str:
    account, now = accounts.get(name), get_services().clock()
    rows = [(row, sessions.has_ended(row, now=now)) for row in sessions.of_account(account.id)]
    return render_template("office/staff-member.html", account=account, sessions=rows, roles=list(Role))


@office.post("/staff/<name>/role")
@require_permission(Permission.STAFF_CHANGE)
@require_fresh_code
@form_of(staff_member)
def change_role(name: str) -> ActionResult:
    return submit(ChangeRole.name, {"name": name, "role": typed("role")})


@office.post("/staff/<name>/disable")
@require_permission(Permission.STAFF_CHANGE)
@require_fresh_code
@form_of(staff_member)
def disable_staff(name: str) -> ActionResult:
    return submit(DisableStaff.name, {"name": name})


@office.post("/staff/<name>/reset")
@require_permission(Permission.STAFF_CHANGE)
@require_fresh_code
@form_of(staff_member)
def reset_staff(name: str) -> ActionResult:
    return submit(ResetStaff.name, {"name": name})


@office.post("/staff/<name>/forget-tries")
@require_permission(Permission.STAFF_CHANGE)
@require_fresh_code
@form_of(staff_member)
def forget_tries(name: str) -> str:
    """It gives nobody access, and is urgent, so one person is enough."""
    services, reason = get_services(), typed_reason()
    count = services.staff_accounts.forget_tries(name=name, reason=reason, now=services.clock())
    return f"Wrong tries forgotten: {count}"
