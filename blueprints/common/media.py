"""Addresses of pictures: what the database keeps is a path below /media, an address elsewhere, or nothing."""

from collections.abc import Callable

from blueprints.common.platform import platform

NEUTRAL_ITEM = "/media/neutral/item.webp"
NEUTRAL_AVATAR = "/media/neutral/avatar.webp"


def item_image_url(image: str) -> str:
    return media_url(image or NEUTRAL_ITEM)


def item_image_urls() -> Callable[[str], str]:
    """``item_image_url`` for many items: where this service is, is looked up once."""
    base_url = platform().settings.base_url
    return lambda image: _whole(image or NEUTRAL_ITEM, base_url)


def avatar_url(avatar: str) -> str:
    return media_url(avatar or NEUTRAL_AVATAR)


def media_url(path_or_address: str) -> str:
    """The whole address of a picture."""
    return _whole(path_or_address, platform().settings.base_url)


def _whole(path_or_address: str, base_url: str) -> str:
    return f"{base_url}{path_or_address}" if path_or_address.startswith("/") else path_or_address
