"""Why a bet of any game is refused. A refused bet changes nothing. Source: DECISIONS, "Upgrader"."""

from services.shared.errors import PlatformError


class SpinInProgress(PlatformError):
    """The player's last spin has not been answered yet."""

    text = "A spin is already in progress"


class TooManySpins(PlatformError):
    """Over the rate limit, or too many events in flight."""

    status = 429
    text = "Too many requests"
