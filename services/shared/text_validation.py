"""Checks of text: what both databases can store, and URLs of pictures."""

import re

# No control characters: browsers drop tabs and line breaks, so "/\t/host" is an address of another host.
_PICTURE = re.compile(r"((?i:https?)://[^\s/?#\\]|/(?![/\\]))[^\x00-\x1f\x7f]*")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether a text is free of NUL characters and lone surrogates, which PostgreSQL refuses."""
    return _UNSTORABLE.search(text) is None


def is_picture_address(text: str) -> bool:
    """Whether a text is an http(s) URL or a path of this service."""
    return _PICTURE.fullmatch(text) is not None
