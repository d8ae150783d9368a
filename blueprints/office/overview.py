"""The overview."""

from http import HTTPStatus

from flask import Response, abort, render_template

from blueprints.api.auth import public
from blueprints.office.access import needs
from blueprints.office.blueprint import office
from services.staff.permissions import Permission


@office.get("/")
@needs(Permission.OFFICE_SEE)
def overview() -> str:
    return render_template("office/overview.html")


@office.get("")
@public
def add_slash() -> Response:
    return Response(status=HTTPStatus.PERMANENT_REDIRECT, headers={"Location": "/office/"})


@office.get("/<path:unknown>")
@needs(Permission.OFFICE_SEE)
def unknown_page(unknown: str) -> Response:  # noqa: ARG001  # the route's
    """404 as a page; only to somebody who is signed in."""
    abort(HTTPStatus.NOT_FOUND)
