"""URLs of pictures. The database stores a path below /media, the URL of another host, or nothing."""

from typing import Any

from blueprints.api.schemas import AnswerField
from server.current_services import get_services
from services.shared.text_validation import is_picture_address

NEUTRAL_ITEM = "/media/neutral/item.webp"
NEUTRAL_AVATAR = "/media/neutral/avatar.webp"


class Picture(AnswerField):
    """The base of fields with the URL of a picture."""

    TYPE = "string"
    UNIT = "an absolute URL"
    NEUTRAL: str

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str:
        return _url(value, self.NEUTRAL)


class ItemImage(Picture):
    """The picture of an item, as a URL."""

    NEUTRAL = NEUTRAL_ITEM
    EXAMPLE = f"https://play.example.com{NEUTRAL_ITEM}"


class Avatar(Picture):
    """The picture of a player, as a URL."""

    NEUTRAL = NEUTRAL_AVATAR
    EXAMPLE = f"https://play.example.com{NEUTRAL_AVATAR}"


def _url(stored: str, neutral: str) -> str:
    """The URL of a stored picture; that of the neutral one if none is stored or its scheme is not http(s)."""
    path_or_url = stored if is_picture_address(stored) else neutral
    return f"{get_services().settings.base_url}{path_or_url}" if path_or_url.startswith("/") else path_or_url
