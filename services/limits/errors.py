"""The refusals of changing a limit, and of taking a break."""

from services.shared.errors import PlatformError


class RequestNotFound(PlatformError):
    """The request does not exist, has expired, was replaced or cancelled, or is another player's."""

    status = 404
    text = "Request not found"


class TooEarly(PlatformError):
    """A request can be confirmed after 24 hours."""

    text = "Too early"


class BreakTooShort(PlatformError):
    """The player's current break ends later."""

    text = "A break can only be made longer"
