"""What can go wrong by the rules: one class for each, with the text and the HTTP status it answers."""

from typing import ClassVar


class PlatformError(Exception):
    """A refusal that the caller is told of in so many words. Changes nothing."""

    status: ClassVar[int] = 400
    text: ClassVar[str] = "Bad request"
    # When trying again makes sense; None where it is not a matter of time.
    retry_after_seconds: int | None = None

    def __init__(self) -> None:
        super().__init__(self.text)


class Unavailable(PlatformError):
    """Something that this needs is away for now: the database, or room on the disk."""

    status = 503
    text = "The service is temporarily unavailable"
    retry_after_seconds = 1


class UnstorableText(PlatformError):
    """A text that the databases can't keep."""

    text = "Text must not have NUL characters or lone surrogates"


class Unauthorized(PlatformError):
    """No token, or one that is not good."""

    status = 401
    text = "Unauthorized"


class InsufficientBalance(PlatformError):
    """An account holds less than would be taken from it."""

    text = "Insufficient balance"


class UserNotFound(PlatformError):
    """No player has this platform id."""

    status = 404
    text = "User not found"


class PlayerGone(PlatformError):
    """The token is good, but its player is no longer there."""

    text = "User not found"


class BetNotFound(PlatformError):
    """The player has no bet with this nonce."""

    status = 404
    text = "Bet not found"


class OperatorError(Exception):
    """A command was given something it can't take; ``str()`` is the one line that says what."""
