"""The blueprint of all pages at /office/: what each of its requests and responses has, and its errors."""

import logging
from http import HTTPStatus

from flask import Blueprint, Response, render_template, request
from flask_login import current_user
from flask_wtf import CSRFProtect
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from blueprints.office.access import answer, can
from models.db.connection import UNAVAILABLE
from server.http.strict_requests import WITH_OWN_LIMIT, current_request
from services.shared.errors import Failure, Refusal, Unavailable, UnstorableText
from services.shared.text import is_storable
from services.staff.content_actions import MAX_DOCUMENT
from services.staff.permissions import Permission

office = Blueprint(
    "office", __name__, url_prefix="/office", template_folder="templates", static_folder="static"
)

SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

LIMIT_BYTES = 3 * MAX_DOCUMENT
"""In UTF-8 most characters have up to three bytes. deploy/nginx.conf lets as many through."""

csrf = CSRFProtect()


@office.before_request
def read_large_form() -> None:
    """Read the body of a form with a document, whose limit is another one for staff who may send it.

    The first of these functions: the next one reads the token in the form. Raises RequestEntityTooLarge.
    """
    this = current_request()
    if this.method != "POST" or this.endpoint not in WITH_OWN_LIMIT:
        return
    if current_user.is_authenticated and can(Permission.CONTENT_CHANGE):
        this.read_large_form(limit_bytes=LIMIT_BYTES)
    else:
        this.get_data()


@office.before_request
def check_csrf_token() -> None:
    """Refuse a form that does not come from a page of this session. Raises CSRFError."""
    csrf.protect()


@office.before_request
def check_texts() -> None:
    """Raises UnstorableText for what PostgreSQL could not store or compare."""
    for values in (request.args, request.form):
        if not all(is_storable(text) for _, text in values.items(multi=True)):
            raise UnstorableText


@office.after_request
def set_headers(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = SECURITY_POLICY
    # Files may be stored: Flask gives them a validator.
    return response


log = logging.getLogger("platform.errors")

TEXTS = {
    HTTPStatus.FORBIDDEN: "Your role does not allow this. The refusal is recorded.",
    HTTPStatus.NOT_FOUND: "There is no such page.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong. The error is in the log of the server.",
}


@office.errorhandler(HTTPException)
def http_error(error: HTTPException) -> Response:
    status = HTTPStatus(error.code or HTTPStatus.INTERNAL_SERVER_ERROR)
    if isinstance(error, CSRFError):
        text = "This form is not valid any more. Go back, load the page again, and send it once more."
        return error_page(text, status)
    return error_page(TEXTS.get(status, status.phrase), status)


@office.errorhandler(Refusal)
def refused(error: Refusal) -> Response:
    if isinstance(error, Failure):
        # Flask logs it, and answers as it answers any other exception.
        raise error
    return error_page(error.text, HTTPStatus(error.status), error)


def unavailable(error: Exception) -> Response:
    log.error("database unavailable", exc_info=error)
    return refused(Unavailable())


for kind in UNAVAILABLE:
    office.register_error_handler(kind, unavailable)


def error_page(text: str, status: HTTPStatus, refusal: Refusal | None = None) -> Response:
    """A page that says what was wrong."""
    return answer(render_template("office/error.html", text=text, status=status), status, refusal)
