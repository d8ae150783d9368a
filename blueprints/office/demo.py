"""Signing in as a person of the demo, by an address that ``flask demo`` prints. 404 in production."""

from http import HTTPStatus
from typing import Any

from flask import abort, redirect, request

from blueprints.api.auth import public
from blueprints.office.access import client_address, current_staff, keep_session, require_permission
from blueprints.office.blueprint import office
from server.current_services import get_services
from services.staff.demo import DemoStaff
from services.staff.permissions import Permission, Role


def _demo_staff() -> DemoStaff:
    return get_services().demo_staff or abort(HTTPStatus.NOT_FOUND)


@office.get("/demo")
@public
def begin_demo() -> Any:
    """Sign in as the demo administrator."""
    token = _demo_staff().begin_session(
        request.args.get("token", ""), role=Role.ADMIN, client=client_address(), now=get_services().clock()
    )
    keep_session(token)
    return redirect("/office/", HTTPStatus.SEE_OTHER)


@office.post("/demo/<role>")
@require_permission(Permission.OFFICE_SEE)
def switch_person(role: str) -> Any:
    """Go on as another person of the demo, such as to approve what the first has proposed."""
    if role not in list(Role):
        abort(HTTPStatus.NOT_FOUND)
    token = _demo_staff().switch(
        current_staff(), role=Role(role), client=client_address(), now=get_services().clock()
    )
    keep_session(token)
    return redirect("/office/", HTTPStatus.SEE_OTHER)
