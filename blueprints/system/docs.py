"""/docs: an API browser that loads nothing from other hosts."""

import base64
import hashlib
import re

from flask import Blueprint, Response, redirect
from flask_swagger_ui import get_swaggerui_blueprint
from werkzeug.wrappers import Response as BaseResponse

from blueprints.api.openapi import API_TITLE


def docs_blueprint() -> Blueprint:
    """The library's blueprint, with a content security policy of its own."""
    blueprint: Blueprint = get_swaggerui_blueprint(
        "/docs",
        "/openapi.json",
        # The library would make a URL for OAuth out of the Host header.
        config={"app_name": API_TITLE, "validatorUrl": None, "oauth2RedirectUrl": None},
    )
    blueprint.add_url_rule("", view_func=add_slash)
    blueprint.after_request(_set_security_policy)
    return blueprint


def add_slash() -> BaseResponse:
    """The router's own redirect would contain the Host header."""
    return redirect("/docs/", 308)


def _set_security_policy(response: Response) -> Response:
    """Allow the page's own script by its hash, and no script that somebody else gets into the page."""
    scripts = []
    if response.mimetype == "text/html":
        scripts = re.findall(rb"<script>(.*?)</script>", response.get_data(), re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    own = " ".join(f"'sha256-{digest}'" for digest in digests)
    response.headers["Content-Security-Policy"] = (
        f"default-src 'self'; script-src 'self' {own};"
        # The page sets styles by script, and draws its icons itself.
        " style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
        " frame-ancestors 'none'"
    )
    return response
