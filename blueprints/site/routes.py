"""/: the built-in page, and /assets: the files it is made of."""

from flask import Blueprint, Response, make_response, render_template, request

from blueprints.common.auth import public
from blueprints.common.platform import platform

blueprint = Blueprint(
    "site", __name__, static_folder="static", static_url_path="/assets", template_folder="templates"
)

# Items' and players' pictures may lie anywhere. The socket's scheme is named for browsers that do not take
# it for a part of 'self'.
MADE_OF = (
    "default-src 'self'; img-src * data:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)


@blueprint.after_request
def say_what_it_is_made_of(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = MADE_OF
    return response


@blueprint.get("/")
@public
def page() -> Response:
    """The page. Always asked for again, so that a new version is never mixed with an old one's files."""
    response = make_response(render_template("index.html", trial=not platform().settings.production))
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    return response.make_conditional(request)
