"""Addresses of pictures: what the database keeps is a path below /media, an address elsewhere, or nothing."""

from blueprints.common.platform import platform

NEUTRAL_ITEM = "/media/neutral/item.webp"
NEUTRAL_AVATAR = "/media/neutral/avatar.webp"


def item_image_url(image: str) -> str:
    return media_url(image or NEUTRAL_ITEM)


def avatar_url(avatar: str) -> str:
    return media_url(avatar or NEUTRAL_AVATAR)


def media_url(path_or_address: str) -> str:
    """The whole address of a picture."""
    if path_or_address.startswith("/"):
        return f"{platform().settings.base_url}{path_or_address}"
    return path_or_address
