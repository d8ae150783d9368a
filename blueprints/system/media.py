"""/media: pictures of items and players."""

from pathlib import Path

from flask import Blueprint, Response, send_from_directory

from blueprints.api.auth import public
from server.current_services import get_services

blueprint = Blueprint("media", __name__, url_prefix="/media")

WEBP = "image/webp"
NEUTRAL = Path(__file__).parent / "neutral"
DAY_SECONDS = 86_400
YEAR_SECONDS = 365 * DAY_SECONDS


@blueprint.get("/neutral/item.webp")
@public
def neutral_item() -> Response:
    """The picture of an item without an image: 360 x 360."""
    return _neutral("item.webp")


@blueprint.get("/neutral/avatar.webp")
@public
def neutral_avatar() -> Response:
    """The avatar of a player without one: 256 x 256."""
    return _neutral("avatar.webp")


@blueprint.get("/items/<name>")
@public
def item_picture(name: str) -> Response:
    """A picture of a demo item, copied by ``flask seed``."""
    directory = get_services().settings.instance_dir / "media" / "items"
    return send_from_directory(directory, name, mimetype=WEBP, max_age=DAY_SECONDS)


@blueprint.get("/avatars/<name>")
@public
def avatar(name: str) -> Response:
    """A player's own picture. A new one has a new name, so this one never changes."""
    directory = get_services().settings.instance_dir / "media" / "avatars"
    response = send_from_directory(directory, name, mimetype=WEBP, max_age=YEAR_SECONDS)
    response.cache_control.immutable = True
    return response


def _neutral(name: str) -> Response:
    response = Response((NEUTRAL / name).read_bytes(), mimetype=WEBP)
    response.cache_control.public = True
    response.cache_control.max_age = DAY_SECONDS
    return response
