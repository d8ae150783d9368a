"""/: the built-in page, and /assets: the files it is made of."""

from flask import Blueprint, Response

from blueprints.common.auth import public

blueprint = Blueprint("site", __name__, static_folder="static", static_url_path="/assets")


@blueprint.get("/")
@public
def page() -> Response:
    """The page. Always asked for again, so that a new version is never mixed with an old one's files."""
    response = blueprint.send_static_file("index.html")
    response.headers["Cache-Control"] = "no-cache"
    return response
