"""Errors as pages in the look of the back office."""

import logging
from http import HTTPStatus

from flask import Response, render_template
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from blueprints.office.blueprint import office
from models.db.connection import UNAVAILABLE
from services.shared.errors import Failure, Refusal, Unavailable

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
    response = error_page(error.text, HTTPStatus(error.status))
    if error.retry_after_seconds is not None:
        response.headers["Retry-After"] = str(error.retry_after_seconds)
    return response


def unavailable(error: Exception) -> Response:
    log.error("database unavailable", exc_info=error)
    return refused(Unavailable())


for kind in UNAVAILABLE:
    office.register_error_handler(kind, unavailable)


def error_page(text: str, status: HTTPStatus) -> Response:
    """A page that says what was wrong."""
    return Response(render_template("office/error.html", text=text, status=status), status=status)
