"""Which text both databases can store, and what staff may give as a reason."""

import re

from services.shared.errors import OperatorError

MAX_REASON = 200

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether a text is free of NUL characters and lone surrogates, which PostgreSQL refuses."""
    return UNSTORABLE.search(text) is None


def checked_reason(reason: str) -> str:
    """The reason of an action of staff, trimmed. Raises OperatorError for an empty or a long one."""
    reason = reason.strip()
    if not 1 <= len(reason) <= MAX_REASON or not is_storable(reason):
        raise OperatorError(f"the reason must be a text of 1 to {MAX_REASON} characters")
    return reason
