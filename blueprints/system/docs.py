"""/docs: an API browser whose every byte comes from this process."""

import base64
import hashlib
import re

from flask import Blueprint, Response
from flask_swagger_ui import get_swaggerui_blueprint

API_TITLE = "Gaming platform"


def docs_blueprint() -> Blueprint:
    blueprint: Blueprint = get_swaggerui_blueprint(
        "/docs",
        "/openapi.json",
        # An address that the library would otherwise make of the Host header.
        config={"app_name": API_TITLE, "validatorUrl": None, "oauth2RedirectUrl": None},
    )
    blueprint.after_request(_say_what_it_is_made_of)
    return blueprint


def _say_what_it_is_made_of(response: Response) -> Response:
    """Allow the page's own script by its hash, and no other that might get into it."""
    scripts = []
    if response.mimetype == "text/html":
        scripts = re.findall(rb"<script>(.*?)</script>", response.get_data(), re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    own = " ".join(f"'sha256-{digest}'" for digest in digests)
    response.headers["Content-Security-Policy"] = (
        f"default-src 'self'; script-src 'self' {own};"
        # The browser sets styles as it goes, and draws its icons itself.
        " style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
        " frame-ancestors 'none'"
    )
    return response
