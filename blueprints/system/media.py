"""/media: pictures of items, cases and players."""

from pathlib import Path

from flask import Blueprint, Response, send_from_directory

from blueprints.api.auth import public
from server.current_services import get_services

blueprint = Blueprint("media", __name__, url_prefix="/media")

NEUTRAL = Path(__file__).parent / "neutral"
NEUTRAL_ITEM = NEUTRAL / "item.webp"
ITEM_PICTURES = "/media/items/"
DAY_SECONDS = 86_400
YEAR_SECONDS = 365 * DAY_SECONDS


@blueprint.get("/neutral/<name>")
@public
def neutral_picture(name: str) -> Response:
    """The picture of an item without an image, 360 x 360, or of a player without one, 256 x 256."""
    return _picture(NEUTRAL, name)


@blueprint.get("/items/<name>")
@public
def item_picture(name: str) -> Response:
    """A picture of a demo item, copied by ``flask seed``."""
    return _picture(_media() / "items", name)


@blueprint.get("/cases/<name>")
@public
def case_picture(name: str) -> Response:
    """A picture of a demo case, copied by ``flask seed``."""
    return _picture(_media() / "cases", name)


@blueprint.get("/avatars/<name>")
@public
def avatar(name: str) -> Response:
    """A player's own picture. A new one has a new name, so this one never changes."""
    response = _picture(_media() / "avatars", name, max_age=YEAR_SECONDS)
    response.cache_control.immutable = True
    return response


def _picture(directory: Path, name: str, *, max_age: int = DAY_SECONDS) -> Response:
    return send_from_directory(directory, name, mimetype="image/webp", max_age=max_age)


def _media() -> Path:
    return get_services().settings.instance_dir / "media"
