"""The refusals of a bet of any game. A refused bet changes nothing."""

from services.shared.errors import Refusal


class SpinInProgress(Refusal):
    """The player's last bet has not been answered yet."""

    text = "A spin is already in progress"


class SeedUsed(SpinInProgress):
    """Another bet, perhaps of another process, has used the seed."""


class TermsExpired(Exception):
    """The case of the opening was read too long ago when it was about to be settled."""


class InvalidRequest(Refusal):
    """The payload is not an object, or a key is missing or has a value of the wrong type."""

    text = "Invalid request"


class InvalidClientSeed(Refusal):
    """The client seed is not 4 to 64 letters, digits, dashes and underscores."""

    text = "Invalid client seed"


class CommitmentMismatch(Refusal):
    """The player saw another commitment than the announced one."""

    text = "Commitment does not match"


class RequestIdReused(Refusal):
    """The request id has been used with other content."""

    text = "Request id was used for another spin"


class FreeCaseNotAvailable(Refusal):
    """The player uses no promo code, or has opened the free case as often as the limit allows."""

    text = "Free case is not available"


class TooSoon(Refusal):
    """The least time between two bets has not passed."""

    text = "Please wait before the next bet"


class PlayTimeReached(Refusal):
    """The player has played as long as a play session may last, and must pause for half an hour."""

    text = "Session time limit reached"
