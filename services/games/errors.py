"""The refusals of a bet of any game. A refused bet changes nothing."""

from services.shared.errors import PlatformError


class SpinInProgress(PlatformError):
    """The player's last bet has not been answered yet."""

    text = "A spin is already in progress"


class TooManySpins(PlatformError):
    """The player is over the rate limit, or has too many events in flight."""

    status = 429
    text = "Too many requests"


class InvalidRequest(PlatformError):
    """The payload is not an object, or a key is missing or has a value of the wrong type."""

    text = "Invalid request"


class InvalidClientSeed(PlatformError):
    """The client seed is not 4 to 64 letters, digits, dashes and underscores."""

    text = "Invalid client seed"


class CommitmentMismatch(PlatformError):
    """The player saw another commitment than the announced one."""

    text = "Commitment does not match"


class RequestIdReused(PlatformError):
    """The request id has been used with other content."""

    text = "Request id was used for another spin"


class FreeCaseNotAvailable(PlatformError):
    """The player uses no promo code, or has opened the free case as often as the limit allows."""

    text = "Free case is not available"
