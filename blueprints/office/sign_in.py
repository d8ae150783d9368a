"""Signing in and out, and enrolling with a link."""

from http import HTTPStatus
from typing import Any

from flask import abort, redirect, render_template, request, url_for
from flask_login import current_user
from flask_wtf import FlaskForm
from wtforms import PasswordField, StringField

from blueprints.api.auth import public
from blueprints.api.qr_code import qr_code
from blueprints.office.access import (
    answer,
    client_address,
    current_session,
    current_staff,
    forget_session,
    keep_session,
    require_fresh_code,
    require_permission,
)
from blueprints.office.addresses import local
from blueprints.office.blueprint import office
from server.current_services import get_services
from server.http.rate_limit import count_as
from services.shared.errors import Refusal
from services.staff.credentials import MIN_LENGTH
from services.staff.demo import DemoStaff
from services.staff.permissions import Permission, Role

COSTLY = "staff sign-in"
CODE_FIELD = {"autocomplete": "one-time-code", "inputmode": "numeric"}


class SignInForm(FlaskForm):  # type: ignore[misc]  # the library carries no types
    name = StringField("Name", render_kw={"autocomplete": "username", "autocapitalize": "none"})
    password = PasswordField("Password", render_kw={"autocomplete": "current-password"})
    code = StringField("Code", render_kw=CODE_FIELD)


class EnrolmentForm(FlaskForm):  # type: ignore[misc]
    password = PasswordField("Password", render_kw={"autocomplete": "new-password"})
    repeated = PasswordField("Password again", render_kw={"autocomplete": "new-password"})
    code = StringField("Code", render_kw=CODE_FIELD)


@office.get("/sign-in")
@public
def sign_in() -> Any:
    """The form. Somebody who is signed in comes to the page that was asked for."""
    if current_user.is_authenticated:
        return redirect(local(request.args.get("next")), HTTPStatus.SEE_OTHER)
    return render_template("office/sign-in.html", form=SignInForm(), enrolled="enrolled" in request.args)


@office.post("/sign-in")
@public
@count_as(COSTLY)
def begin_session() -> Any:
    form = SignInForm()
    services = get_services()
    try:
        token = services.staff_sign_in.begin_session(
            name=form.name.data or "",
            password=form.password.data or "",
            code=form.code.data or "",
            client=client_address(),
            now=services.clock(),
        )
    except Refusal as refusal:
        return _shown_again("office/sign-in.html", refusal, form=form)
    keep_session(token)
    return redirect(local(request.args.get("next")), HTTPStatus.SEE_OTHER)


@office.post("/sign-out")
@require_permission(Permission.OFFICE_SEE)
def sign_out() -> Any:
    services = get_services()
    services.staff_sign_in.end_session(current_session(), now=services.clock())
    forget_session()
    return redirect(url_for("office.sign_in"), HTTPStatus.SEE_OTHER)


@office.post("/code")
@require_permission(Permission.OFFICE_SEE)
@require_fresh_code
def confirm_code() -> Any:
    """Give a code before a page that needs one; then back to that page."""
    return redirect(local(request.args.get("next")), HTTPStatus.SEE_OTHER)


@office.get("/enrol")
@public
def show_invitation() -> Any:
    """The page of an enrolment link. Its text is in the query, because logs have paths.

    A link with an empty ``word`` asks for the word first.
    """
    if "word" in request.args and not _word():
        return render_template("office/enrolment-word.html", link=_link())
    return _invitation(EnrolmentForm())


@office.post("/enrol")
@public
@count_as(COSTLY)
def enrol() -> Any:
    form = EnrolmentForm()
    if form.password.data != form.repeated.data:
        return _invitation(form, refusal=Refusal("The two passwords are not the same"))
    services = get_services()
    try:
        services.staff_enrolment.enrol(
            _link(),
            word=_word(),
            password=form.password.data or "",
            code=form.code.data or "",
            address=request.remote_addr,
            now=services.clock(),
        )
    except Refusal as refusal:
        return _invitation(form, refusal=refusal)
    return redirect(url_for("office.sign_in", enrolled=1), HTTPStatus.SEE_OTHER)


def _link() -> str:
    """The text of the enrolment link. Whoever copies one from a sentence may take its full stop along."""
    return request.args.get("token", "").rstrip(".")


def _word() -> str:
    """The word that the link needs, as somebody typed it."""
    return request.args.get("word", "").strip(" .").lower()


def _invitation(form: EnrolmentForm, *, refusal: Refusal | None = None) -> Any:
    services = get_services()
    invitation = services.staff_enrolment.invitation(_link(), word=_word(), now=services.clock())
    shown = {"invitation": invitation, "qr_code": qr_code(invitation.address), "least": MIN_LENGTH}
    return _shown_again("office/enrol.html", refusal, form=form, **shown)


def _shown_again(template: str, refusal: Refusal | None, **shown: Any) -> Any:
    """A form with what was typed, but for passwords and codes, and with what was wrong."""
    page = render_template(template, refusal=refusal, **shown)
    return answer(page, HTTPStatus(refusal.status) if refusal else HTTPStatus.OK, refusal)


def _demo_staff() -> DemoStaff:
    return get_services().demo_staff or abort(HTTPStatus.NOT_FOUND)


@office.get("/demo")
@public
def begin_demo() -> Any:
    """Sign in as the demo administrator, by an address that ``flask demo`` prints. 404 in production."""
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
