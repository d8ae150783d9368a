"""Forms with a whole document. They are read before the token of the form is, and only from staff."""

from flask_login import current_user

from blueprints.office.access import can
from server.http.strict_requests import WITH_OWN_LIMIT, current_request
from services.staff.case_actions import MAX_DOCUMENT
from services.staff.permissions import Permission

LIMIT_BYTES = 3 * MAX_DOCUMENT
"""In UTF-8 most characters have up to three bytes. deploy/nginx.conf lets as many through."""


def read_large_form() -> None:
    """Read the body of a form with a document, whose limit is another one for staff who may send it.

    Raises RequestEntityTooLarge.
    """
    request = current_request()
    if request.method != "POST" or request.endpoint not in WITH_OWN_LIMIT:
        return
    if current_user.is_authenticated and can(Permission.CONTENT_CHANGE):
        request.read_large_form(limit_bytes=LIMIT_BYTES)
    else:
        request.get_data()
