"""/docs: both API documents on one page. /docs/try: Swagger UI. Neither uses another host."""

import json
from functools import lru_cache, partial

import mistune
from flask import Blueprint, Response, current_app, render_template
from flask_swagger_ui import get_swaggerui_blueprint

from blueprints.api.auth import public
from blueprints.api.openapi import API_TITLE
from blueprints.system.asyncapi import asyncapi_document
from server.current_services import get_services
from server.http.response_headers import hash_sources

blueprint = Blueprint("docs", __name__, template_folder="templates")

SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
PLAIN_MARKDOWN = mistune.create_markdown(plugins=["table"])
PRETTY = partial(json.dumps, indent=2, ensure_ascii=False)


@blueprint.get("/docs/")
@public
def show_documents() -> Response:
    """Every operation by area, and every event of the socket."""
    api = current_app.extensions["flask-smorest"]["apis"][""]["ext_obj"]
    response = Response(_page(api.document(), asyncapi_document(get_services().settings.base_url)))
    response.headers["Content-Security-Policy"] = SECURITY_POLICY
    return response


@blueprint.get("/docs")
@public
def add_slash() -> Response:
    return _redirect_to("/docs/")


def _redirect_to(path: str) -> Response:
    """A redirect without a body. The router's own would contain the Host header."""
    return Response(status=308, headers={"Location": path})


def _markdown(text: str) -> str:
    # The library makes no association of a table's cells with their heads.
    return str(PLAIN_MARKDOWN(text)).replace("<th>", '<th scope="col">')


@lru_cache(maxsize=1)
def _page(openapi: bytes, asyncapi: bytes) -> str:
    documents = {"http": json.loads(openapi), "socket": json.loads(asyncapi)}
    return render_template("docs.html", **documents, markdown=_markdown, pretty=PRETTY)


def swagger_blueprint() -> Blueprint:
    """The library's blueprint, with a content security policy of its own."""
    swagger: Blueprint = get_swaggerui_blueprint(
        "/docs/try",
        "/openapi.json",
        # The library would make a URL for OAuth out of the Host header.
        config={"app_name": API_TITLE, "deepLinking": True, "validatorUrl": None, "oauth2RedirectUrl": None},
    )
    swagger.add_url_rule("", view_func=lambda: _redirect_to("/docs/try/"))
    swagger.after_request(_set_security_policy)
    return swagger


def _set_security_policy(response: Response) -> Response:
    """Allow the page's own script by its hash, and no script that somebody else gets into the page."""
    is_page = response.mimetype == "text/html"
    own = hash_sources("script", response.get_data(as_text=True)) if is_page else ""
    response.headers["Content-Security-Policy"] = (
        f"default-src 'self'; script-src 'self' {own};"
        # The page sets styles by script, and draws its icons itself.
        " style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
        " frame-ancestors 'none'"
    )
    return response
