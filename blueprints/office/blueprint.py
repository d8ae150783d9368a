"""The blueprint of all pages at /office/, and what every one of their responses has."""

from flask import Blueprint, Response, request
from flask_wtf import CSRFProtect

from blueprints.office.large_forms import read_large_form
from services.shared.errors import UnstorableText
from services.shared.text import is_storable

office = Blueprint(
    "office", __name__, url_prefix="/office", template_folder="templates", static_folder="static"
)

SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

csrf = CSRFProtect()


office.before_request(read_large_form)


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
