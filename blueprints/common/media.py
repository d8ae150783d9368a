"""Addresses of pictures: what the database keeps is a path below /media, an address elsewhere, or nothing."""

from collections.abc import Callable

from blueprints.common.platform import platform
from services.text import is_picture_address

NEUTRAL_ITEM = "/media/neutral/item.webp"
NEUTRAL_AVATAR = "/media/neutral/avatar.webp"


def item_image_url(image: str) -> str:
    return _whole(image, NEUTRAL_ITEM, platform().settings.base_url)


def item_image_urls() -> Callable[[str], str]:
    """``item_image_url`` for many items: where this service is, is looked up once."""
    base_url = platform().settings.base_url
    return lambda image: _whole(image, NEUTRAL_ITEM, base_url)


def avatar_url(avatar: str) -> str:
    return _whole(avatar, NEUTRAL_AVATAR, platform().settings.base_url)


def _whole(stored: str, neutral: str, base_url: str) -> str:
    """The URL of a stored picture; of the neutral one when there is none, or its scheme is not http(s)."""
    path_or_url = stored if is_picture_address(stored) else neutral
    return f"{base_url}{path_or_url}" if path_or_url.startswith("/") else path_or_url
