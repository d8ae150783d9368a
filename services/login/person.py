"""Who a provider says somebody is, brought into a form that an account can have."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from services.text import is_storable
from services.users import MAX_USERNAME, MIN_USERNAME

NOT_IN_USERNAMES = re.compile(r"[^A-Za-z0-9_.-]", re.ASCII)
NAMELESS = "player"
MAX_AVATAR = 500
NOT_IN_ADDRESSES = re.compile(r"[\x00-\x20\x7f\"'<>\\]")


@dataclass(frozen=True, kw_only=True)
class Person:
    """``username`` is one that an account can have, if it is free; ``avatar`` an address, or empty."""

    platform_id: str
    username: str
    avatar: str


def username_of(name: object) -> str:
    """The username nearest to a provider's name: other characters become ``_``. Source: DECISIONS 9."""
    if not isinstance(name, str):
        return NAMELESS
    username = NOT_IN_USERNAMES.sub("_", name)[:MAX_USERNAME]
    return username if len(username) >= MIN_USERNAME else NAMELESS


def avatar_of(address: object, *, secure: bool) -> str:
    """A provider's picture when it is an http address that can be kept and shown, else empty.

    ``secure``: https only, for pages that are themselves shown over https.
    """
    if not isinstance(address, str) or len(address) > MAX_AVATAR:
        return ""
    if not is_storable(address) or NOT_IN_ADDRESSES.search(address):
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    schemes = ("https",) if secure else ("http", "https")
    return address if parts.scheme in schemes and parts.hostname else ""
