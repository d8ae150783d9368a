"""Accounts of staff and what may be changed about them, and the state of the logs."""

from collections.abc import Callable
from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import current_staff, needs, needs_fresh_code
from blueprints.office.addresses import order
from blueprints.office.blueprint import office
from blueprints.office.results import attempt, new_form_key
from models.log import last_signed_at
from models.staff import StaffAccount
from server.current_services import get_services
from services.log.sequencer import stored_log
from services.staff import accounts, sessions
from services.staff.permissions import Permission, Role
from services.staff.proposals import Outcome

COLUMNS: dict[str, Callable[[StaffAccount], Any]] = {
    "name": lambda account: account.name,
    "role": lambda account: (account.role, account.name),
    "login": lambda account: (account.last_login_at_ms or 0, account.name),
}
"""The keys of ``?sort=``, and what each sorts by."""


@office.get("/staff")
@needs(Permission.STAFF_SEE)
def staff() -> str:
    return _list()


@office.post("/staff/add")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def add_staff() -> Any:
    name = request.form.get("name", "").strip()
    return attempt(lambda: _propose("staff.add", name), to=url_for("office.staff"), again=_list)


@office.get("/staff/<name>")
@needs(Permission.STAFF_SEE)
def staff_member(name: str) -> str:
    return _member(name)


@office.post("/staff/<name>/role")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def change_role(name: str) -> Any:
    return _change(name, "role", lambda: _propose("staff.change-role", name))


@office.post("/staff/<name>/disable")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def disable_staff(name: str) -> Any:
    return _change(name, "disable", lambda: _propose("staff.disable", name))


@office.post("/staff/<name>/reset")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def reset_staff(name: str) -> Any:
    return _change(name, "reset", lambda: _propose("staff.reset", name))


@office.post("/staff/<name>/forget-tries")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def forget_tries(name: str) -> Any:
    """It gives nobody access, and is urgent, so one person is enough."""

    def forget() -> str:
        services, reason = get_services(), request.form.get("reason", "")
        count = services.staff_accounts.forget_tries(name=name, reason=reason, now=services.clock())
        return f"Wrong tries forgotten: {count}"

    return _change(name, "forget-tries", forget)


def _propose(action: str, name: str) -> Outcome:
    """Do it, or propose it to a second person."""
    services, form = get_services(), request.form
    role = {"role": form["role"]} if "role" in form else {}
    return services.proposals.perform_or_propose(
        action,
        {"name": name, **role},
        reason=form.get("reason", ""),
        by=current_staff(),
        now=services.clock(),
        form_key=form.get("form_key", "")[:32] or None,
    )


def _change(name: str, form: str, work: Callable[[], str | Outcome]) -> Any:
    return attempt(
        work,
        to=url_for("office.staff_member", name=name),
        again=lambda refusal: _member(name, sent=form, refusal=refusal),
    )


def _list(refusal: str | None = None) -> str:
    sorted_by, is_descending = order(COLUMNS, default="name")
    rows = sorted(accounts.listed(), key=COLUMNS[sorted_by], reverse=is_descending)
    return render_template(
        "office/staff.html",
        accounts=rows,
        running=sessions.running(now=get_services().clock()),
        sorted_by=sorted_by,
        is_descending=is_descending,
        roles=list(Role),
        new_form_key=new_form_key,
        refusal=refusal,
        log=stored_log(),
        signed_at=last_signed_at(),
    )


def _member(name: str, *, sent: str = "", refusal: str | None = None) -> str:
    """The page about one account. ``sent`` is the form that was refused."""
    account, now = accounts.get(name), get_services().clock()
    rows = [(row, sessions.has_ended(row, now=now)) for row in sessions.of_account(account.id)]
    return render_template(
        "office/staff-member.html",
        account=account,
        sessions=rows,
        roles=list(Role),
        new_form_key=new_form_key,
        sent=sent,
        refusal=refusal,
        typed=request.form,
    )
