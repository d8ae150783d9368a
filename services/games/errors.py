"""The refusals of a bet of any game. A refused bet changes nothing."""

from services.shared.errors import PlatformError


class SpinInProgress(PlatformError):
    """The player's last spin has not been answered yet."""

    text = "A spin is already in progress"


class TooManySpins(PlatformError):
    """The player is over the rate limit, or has too many events in flight."""

    status = 429
    text = "Too many requests"
