"""/: the built-in page, /assets: the files it is made of, /verify: the page that recomputes a bet."""

from http import HTTPStatus
from pathlib import Path

from flask import Blueprint, Response, render_template, request

from blueprints.api.auth import public
from blueprints.api.caching import conditional
from server.current_services import get_services
from server.http.response_headers import hash_sources

blueprint = Blueprint(
    "site", __name__, static_folder="static", static_url_path="/assets", template_folder="templates"
)

# Pictures of items may be at any host. 'self' includes the socket.
SECURITY_POLICY = (
    "default-src 'self'; img-src * data:; connect-src 'self'; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)

VERIFY_PAGE = Path(__file__).with_name("verify.html").read_text(encoding="utf-8")

# The page can't connect to anything, so seeds that a player types stay in the browser.
VERIFY_POLICY = (
    f"default-src 'none'; script-src {hash_sources('script', VERIFY_PAGE)};"
    f" style-src {hash_sources('style', VERIFY_PAGE)}; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)

UNAVAILABLE_PAGE = Path(__file__).with_name("unavailable.html").read_text(encoding="utf-8")

# deploy/nginx.conf sends the same.
UNAVAILABLE_POLICY = (
    f"default-src 'none'; connect-src 'self'; script-src {hash_sources('script', UNAVAILABLE_PAGE)};"
    f" style-src {hash_sources('style', UNAVAILABLE_PAGE)}; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)


@blueprint.after_request
def show_page_while_unavailable(response: Response) -> Response:
    """In place of the JSON of a 503, browsers get a page that tries again."""
    if (
        response.status_code == HTTPStatus.SERVICE_UNAVAILABLE
        and request.accept_mimetypes.best == "text/html"
    ):
        response.set_data(UNAVAILABLE_PAGE)
        response.mimetype = "text/html"
        response.headers["Content-Security-Policy"] = UNAVAILABLE_POLICY
    return response


@blueprint.after_request
def set_security_policy(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", SECURITY_POLICY)
    return response


@blueprint.get("/")
@public
@conditional
def page() -> str:
    """The page. Browsers revalidate it, so that its files are of the same version."""
    return render_template("index.html", trial=not get_services().settings.production)


@blueprint.get("/verify")
@public
@conditional
def verify() -> Response:
    """A page that recomputes a bet without the server. Its values come in the URL's fragment."""
    return Response(VERIFY_PAGE, headers={"Content-Security-Policy": VERIFY_POLICY}, mimetype="text/html")
