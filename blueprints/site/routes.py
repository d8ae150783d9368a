"""/: the built-in page, and /assets: the files it is made of."""

from flask import Blueprint, Response, make_response, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from blueprints.api.auth import public
from server.current_services import get_services

blueprint = Blueprint(
    "site", __name__, static_folder="static", static_url_path="/assets", template_folder="templates"
)

# Pictures may be at any host. Some browsers do not include the scheme of the socket in 'self'.
SECURITY_POLICY = (
    "default-src 'self'; img-src * data:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)


@blueprint.after_request
def set_security_policy(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = SECURITY_POLICY
    return response


@blueprint.get("/")
@public
def page() -> BaseResponse:
    """The page. Browsers revalidate it, so that its files are of the same version."""
    response = make_response(render_template("index.html", trial=not get_services().settings.production))
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    return response.make_conditional(request)
