"""A provider's data about a person, converted to what an account can have."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from services.accounts.users import MAX_USERNAME, MIN_USERNAME

NOT_IN_USERNAMES = re.compile(r"[^A-Za-z0-9_.-]", re.ASCII)
DEFAULT_NAME = "player"
MAX_AVATAR = 500
AVATAR = re.compile(r"https?://[^\x00-\x20\x7f\"'<>\\\ud800-\udfff]*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Person:
    """``username`` is valid but may be taken. ``avatar`` is a URL, or empty."""

    platform_id: str
    username: str
    avatar: str


def username_of(name: object) -> str:
    """The username nearest to a provider's name: other characters become ``_``."""
    if not isinstance(name, str):
        return DEFAULT_NAME
    username = NOT_IN_USERNAMES.sub("_", name)[:MAX_USERNAME]
    return username if len(username) >= MIN_USERNAME else DEFAULT_NAME


def avatar_of(url: object, *, secure: bool) -> str:
    """The URL of a provider's picture if it is valid, or else an empty text.

    ``secure`` accepts https only, for pages that are loaded over https.
    """
    if not isinstance(url, str) or len(url) > MAX_AVATAR or not AVATAR.fullmatch(url):
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.hostname and (parts.scheme == "https" or not secure) else ""
