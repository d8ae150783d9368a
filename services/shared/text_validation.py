"""Which text both databases can store."""

import re

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether a text is free of NUL characters and lone surrogates, which PostgreSQL refuses."""
    return UNSTORABLE.search(text) is None
