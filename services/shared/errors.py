"""One class for each refusal, with its text and HTTP status."""

from typing import ClassVar


class PlatformError(Exception):
    """A refusal. The client gets its text, and nothing has changed."""

    status: ClassVar[int] = 400
    text: str = "Bad request"
    # When a retry may succeed; None if waiting does not help.
    retry_after_seconds: int | None = None

    def __init__(self, *, retry_after_seconds: int | None = None) -> None:
        super().__init__(self.text)
        self.retry_after_seconds = retry_after_seconds or self.retry_after_seconds


class Unavailable(PlatformError):
    """The database, the disk, the worker or another service is unavailable for now."""

    status = 503
    text = "The service is temporarily unavailable"
    retry_after_seconds = 1


class TooManyRequests(PlatformError):
    """The client is over a rate limit, or has too many requests or events under way."""

    status = 429
    text = "Too many requests"


class UnknownEvent(PlatformError):
    """No event of a client has this name."""

    text = "Unknown event"


class UnstorableText(PlatformError):
    text = "Text must not have NUL characters or lone surrogates"


class Unauthorized(PlatformError):
    """No valid token."""

    status = 401
    text = "Unauthorized"


class AccountSuspended(PlatformError):
    """The operator has suspended the player's account."""

    status = 403
    text = "Account suspended"


class InsufficientBalance(PlatformError):
    text = "Insufficient balance"


class UserNotFound(PlatformError):
    """No player has this id."""

    status = 404
    text = "User not found"


class OperatorError(Exception):
    """An invalid argument of a command; ``str()`` is the line to print."""
