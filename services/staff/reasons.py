"""Reasons that staff must give for every change in the back office."""

from services.shared.errors import PlatformError
from services.shared.text_validation import MAX_REASON, is_storable

MIN_REASON = 5


class ReasonRefused(PlatformError):
    text = f"Give a reason of {MIN_REASON} to {MAX_REASON} characters"


def checked_reason(reason: str) -> str:
    """The reason, trimmed. Raises ReasonRefused."""
    reason = reason.strip()
    if not MIN_REASON <= len(reason) <= MAX_REASON or not is_storable(reason):
        raise ReasonRefused
    return reason
