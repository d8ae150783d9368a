"""Accounts of staff and what may be changed about them, and the state of the logs."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from blueprints.office.access import needs, needs_fresh_code
from blueprints.office.addresses import order
from blueprints.office.blueprint import office
from models.log import AUDIT, BETS
from models.staff import StaffAccount
from server.current_services import get_services
from services.log.status import status
from services.shared.errors import PlatformError
from services.staff import accounts, sessions
from services.staff.permissions import Permission, Role
from services.staff.reasons import checked_reason

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
    name, role = request.form.get("name", "").strip(), request.form.get("role", "")

    def add(reason: str) -> str:
        services = get_services()
        token = services.staff_accounts.add(name=name, role=_role(role), reason=reason, now=services.clock())
        return _invited(name, token)

    return _change(add, to=url_for("office.staff"), again=_list)


@office.get("/staff/<name>")
@needs(Permission.STAFF_SEE)
def staff_member(name: str) -> str:
    return _member(name)


@office.post("/staff/<name>/role")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def change_role(name: str) -> Any:
    role = request.form.get("role", "")

    def change(reason: str) -> str:
        services = get_services()
        services.staff_accounts.change_role(name=name, role=_role(role), reason=reason, now=services.clock())
        return f"{name} has the role {role} now, and was signed out."

    return _change_member(name, "role", change)


@office.post("/staff/<name>/disable")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def disable_staff(name: str) -> Any:
    def disable(reason: str) -> str:
        services = get_services()
        services.staff_accounts.disable(name=name, reason=reason, now=services.clock())
        return f"The account of {name} is disabled."

    return _change_member(name, "disable", disable)


@office.post("/staff/<name>/reset")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def reset_staff(name: str) -> Any:
    def reset(reason: str) -> str:
        services = get_services()
        return _invited(name, services.staff_accounts.reset(name=name, reason=reason, now=services.clock()))

    return _change_member(name, "reset", reset)


@office.post("/staff/<name>/forget-tries")
@needs(Permission.STAFF_CHANGE)
@needs_fresh_code
def forget_tries(name: str) -> Any:
    def forget(reason: str) -> str:
        services = get_services()
        count = services.staff_accounts.forget_tries(name=name, reason=reason, now=services.clock())
        return f"Wrong tries forgotten: {count}."

    return _change_member(name, "forget-tries", forget)


def _invited(name: str, token: str) -> str:
    base_url = get_services().settings.base_url
    return f"Send this link to {name}. It works once, for 24 hours: {base_url}/office/enrol?token={token}"


class UnknownRole(PlatformError):
    text = "Choose a role"


def _role(text: str) -> Role:
    if text not in list(Role):
        raise UnknownRole
    return Role(text)


def _change_member(name: str, form: str, work: Callable[[str], str]) -> Any:
    return _change(
        work,
        to=url_for("office.staff_member", name=name),
        again=lambda refusal: _member(name, sent=form, refusal=refusal),
    )


def _change(
    work: Callable[[str], str], *, to: str, again: Callable[[PlatformError], str]
) -> Response | tuple[str, int]:
    """Do it for the reason of the form, and say what was done; or show the page again, with the refusal."""
    try:
        flash(work(checked_reason(request.form.get("reason", ""))), "good")
    except PlatformError as refusal:
        return again(refusal), refusal.status
    return redirect(to, HTTPStatus.SEE_OTHER)


def _list(refusal: PlatformError | None = None) -> str:
    sorted_by, is_descending = order(COLUMNS, default="name")
    rows = sorted(accounts.listed(), key=COLUMNS[sorted_by], reverse=is_descending)
    return render_template(
        "office/staff.html",
        accounts=rows,
        running=sessions.running(now=get_services().clock()),
        sorted_by=sorted_by,
        is_descending=is_descending,
        roles=list(Role),
        refusal=refusal,
        logs={"Bets": status(BETS), "Audit trail": status(AUDIT)},
    )


def _member(name: str, *, sent: str = "", refusal: PlatformError | None = None) -> str:
    """The page about one account. ``sent`` is the form that was refused."""
    account, now = accounts.get(name), get_services().clock()
    rows = [(row, sessions.has_ended(row, now=now)) for row in sessions.of_account(account.id)]
    return render_template(
        "office/staff-member.html",
        account=account,
        sessions=rows,
        roles=list(Role),
        sent=sent,
        refusal=refusal,
        typed=request.form,
    )
