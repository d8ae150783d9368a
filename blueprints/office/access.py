"""Who may see a view of the back office, and personal data.

Personal data is masked, unless the address asks for it with ``?personal=shown``. It is asked for by the
address, and not by a form, so that the way back to a page works.
"""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, NoReturn, TypeVar

from flask import Response, redirect, render_template, request, session, url_for
from flask_login import LoginManager, UserMixin, current_user, login_user, logout_user
from werkzeug.exceptions import Forbidden

from blueprints.api.auth import POLICY
from models.db.connection import writing
from models.staff import StaffAccount, StaffSession
from server.addresses import networks
from server.current_services import get_services
from services.audit_trail.actor import Actor, acting_as
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.errors import Refusal
from services.staff import personal_data, sessions
from services.staff.permissions import Permission, may
from services.staff.sign_in import ClientAddress

View = TypeVar("View", bound=Callable[..., Any])

NEEDED = "needed_permission"
"""The attribute of a view that ``require_permission`` sets."""

LIVE = ("office.live_overview",)
"""What open pages fetch by themselves: a session ends although its browser still shows one."""

login_manager = LoginManager()
# It would compare the browser's address and name; the session's row decides.
login_manager.session_protection = None


class SignedIn(UserMixin):  # type: ignore[misc]  # the library carries no types
    """The session of a request, as Flask-Login has it."""

    def __init__(self, token: str, row: StaffSession) -> None:
        self.token = token
        self.row = row

    def get_id(self) -> str:
        """What the cookie has: the text of the session, not the id of the account."""
        return self.token


@login_manager.user_loader
def load_session(token: str) -> SignedIn | None:
    is_used = request.endpoint not in LIVE
    row = sessions.find(token, now=get_services().clock(), is_used=is_used)
    return None if row is None else SignedIn(token, row)


def keep_session(token: str) -> None:
    """Give the browser a session that has just begun. Nothing of an earlier one stays in it, or runs on."""
    if current_user.is_authenticated:
        sessions.end(current_session(), now=get_services().clock())
    session.clear()
    signed_in = load_session(token)
    # None if the account was disabled at the same moment.
    if signed_in is not None:
        login_user(signed_in)


def forget_session() -> None:
    """Remove what the browser's cookie has."""
    logout_user()
    session.clear()


def current_session() -> StaffSession:
    """The session of the request, in a view behind ``require_permission``."""
    row: StaffSession = current_user.row
    return row


def current_staff() -> StaffAccount:
    """The member of staff who called a view behind ``require_permission``."""
    account: StaffAccount = current_session().staff
    return account


def client_address() -> ClientAddress:
    """Where the request comes from."""
    address = request.remote_addr or ""
    network, _ = networks(address)[0]
    return ClientAddress(address, str(network))


def can(permission: Permission) -> bool:
    """Whether the current member of staff has a permission, for what a page shows."""
    return may(current_staff().role, permission)


def require_permission(permission: Permission) -> Callable[[View], Callable[..., Any]]:
    """Let only staff with this permission call the view, and record its events as theirs.

    Somebody who is not signed in comes to the sign-in, and from there back. A refusal is an event of the
    audit trail, and a page with the status 403.
    """

    def decorator(view: View) -> Callable[..., Any]:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if not current_user.is_authenticated:
                return to_sign_in()
            staff = current_staff()
            session_hash = current_session().token_hash
            with acting_as(Actor(f"staff:{staff.name}", request.remote_addr, staff_session=session_hash)):
                if not may(staff.role, permission):
                    refuse(permission)
                return view(*args, **kwargs)

        setattr(wrapper, NEEDED, permission)
        setattr(wrapper, POLICY, "staff")
        return wrapper

    return decorator


def refuse(permission: Permission) -> NoReturn:
    """Record that the role lacks a permission, and raise Forbidden."""
    with writing():
        after = {"permission": permission, "path": request.path[:200]}
        record(AuditEventType.STAFF_REFUSED, now=get_services().clock(), user_id=None, after=after)
    raise Forbidden


def to_sign_in() -> Any:
    """A redirect to the sign-in, which leads back to the page that was asked for."""
    asked = request.full_path.rstrip("?") if request.method == "GET" else None
    target = url_for("office.sign_in", next=asked if asked not in (None, "/office/") else None)
    return redirect(target, HTTPStatus.SEE_OTHER)


def code_is_due() -> bool:
    """Whether a dangerous action asks for a code now, because the last one is older than five minutes."""
    return not sessions.is_fresh(current_session(), now=get_services().clock())


def require_fresh_code(view: View) -> Callable[..., Any]:
    """Ask for a code of the authenticator again unless one was given within five minutes.

    It is used below ``require_permission``. The code comes in the field ``code`` of the form. Without a right
    one the answer is a page that asks for it; it sends what was typed once more.
    """

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if code_is_due():
            code = request.form.get("code", "").strip()
            if not code:
                return _ask_for_code(None)
            try:
                get_services().staff_sign_in.confirm(
                    current_session(), code=code, client=client_address(), now=get_services().clock()
                )
            except Refusal as refusal:
                return _ask_for_code(refusal)
        return view(*args, **kwargs)

    return wrapper


def answer(page: str, status: HTTPStatus, refusal: Refusal | None) -> Response:
    """The response with a page, which says when a retry may succeed if the refusal does."""
    response = Response(page, status=status)
    if refusal is not None and refusal.retry_after_seconds is not None:
        response.headers["Retry-After"] = str(refusal.retry_after_seconds)
    return response


def _ask_for_code(refusal: Refusal | None) -> Response:
    # A page that was only asked for is shown by a redirect, after the code.
    address = request.full_path.rstrip("?")
    if request.method != "POST":
        address = url_for("office.confirm_code", next=address)
    typed = [
        (name, value) for name, value in request.form.items(multi=True) if name not in ("code", "csrf_token")
    ]
    page = render_template("office/code.html", typed=typed, refusal=refusal, address=address)
    return answer(page, HTTPStatus(refusal.status) if refusal else HTTPStatus.FORBIDDEN, refusal)


def is_shown(*, user_id: int | None, what: str) -> bool:
    """Whether the page shows personal data of this player, or of several for None. Records the look.

    If the role may not see it, that is recorded, and the answer is 403.
    """
    if request.args.get("personal") != "shown":
        return False
    check_may_see()
    personal_data.record_look(user_id=user_id, what=what, now=get_services().clock())
    return True


def check_may_see() -> None:
    """Raises Forbidden if the role may not see personal data."""
    if not can(Permission.PERSONAL_DETAILS_SEE):
        refuse(Permission.PERSONAL_DETAILS_SEE)


def masking(*, shows_all: bool) -> Callable[[str | None], str]:
    """What a page does with each text that is personal."""
    return (lambda text: text or "") if shows_all else personal_data.masked
