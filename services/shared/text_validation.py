"""Which text both databases can store, and what staff may give as a reason."""

import re

from services.shared.errors import Refusal

MAX_REASON = 200
LEAST_OF_STAFF = 5
"""The characters of a reason that somebody gives in the back office."""

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether a text is free of NUL characters and lone surrogates, which PostgreSQL refuses."""
    return UNSTORABLE.search(text) is None


def checked_reason(reason: str, *, least: int = 1) -> str:
    """The reason of an action of staff, trimmed. Raises Refusal for a short or a long one."""
    reason = reason.strip()
    if not least <= len(reason) <= MAX_REASON or not is_storable(reason):
        raise Refusal(f"the reason must be a text of {least} to {MAX_REASON} characters")
    return reason
