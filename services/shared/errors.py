"""The one class of refusals, and those that several areas share."""


class Refusal(Exception):
    """What a client, the staff or an operator asked for is refused, and nothing has changed.

    HTTP answers ``text`` with ``status`` in the envelope of the path, an event of a socket answers ``text``,
    and a command prints it and exits with 1. A refusal has a class of its own if code distinguishes it.
    """

    status: int = 400
    text: str = "Bad request"
    # When a retry may succeed; None if waiting does not help.
    retry_after_seconds: int | None = None

    def __init__(
        self, text: str | None = None, *, status: int | None = None, retry_after_seconds: int | None = None
    ) -> None:
        self.text = text or self.text
        self.status = status or self.status
        self.retry_after_seconds = retry_after_seconds or self.retry_after_seconds
        super().__init__(self.text)

    @property
    def details(self) -> dict[str, object]:
        """What the answer says beside the text, under the names that it has on the wire."""
        return {}


class Failure(Refusal):
    """A fault of the installation.

    A command prints its text. A client gets the text of any failure instead, and it is logged.
    """

    status = 500


class Unavailable(Refusal):
    """The database, the disk, the worker or another service is unavailable for now."""

    status = 503
    text = "The service is temporarily unavailable"
    retry_after_seconds = 1


class TooManyRequests(Refusal):
    """The client is over a rate limit, or has too many requests or events under way."""

    status = 429
    text = "Too many requests"


class UnstorableText(Refusal):
    text = "Text must not have NUL characters or lone surrogates"


class Unauthorized(Refusal):
    """No valid token."""

    status = 401
    text = "Unauthorized"


class AccountSuspended(Refusal):
    """The operator has suspended the player's account."""

    status = 403
    text = "Account suspended"


class AccountClosed(AccountSuspended):
    """The player has closed the account, which is refused everywhere as a suspended one is."""

    text = "Account closed"


class InsufficientBalance(Refusal):
    text = "Insufficient balance"


class CaseNotFound(Refusal):
    status = 404
    text = "Case not found"


class CaseNotAvailable(Refusal):
    """An item has no price, or the case costs nothing although it is not the free case."""

    text = "Case is not available"


class UserNotFound(Refusal):
    """No player has this id."""

    status = 404
    text = "User not found"
