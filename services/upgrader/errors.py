"""Why a spin is refused. A refused spin changes nothing. Source: DECISIONS, "Upgrader"."""

from services.shared.errors import PlatformError


class InvalidRequest(PlatformError):
    """Not an object, or a part of it is missing or of the wrong type."""

    text = "Invalid request"


class InvalidAmount(PlatformError):
    """Not an exact amount, or below the least wager."""

    text = "Invalid amount"


class InvalidClientSeed(PlatformError):
    """Not 4 to 64 letters, digits, dashes and underscores."""

    text = "Invalid client seed"


class ItemNotFound(PlatformError):
    """The catalogue does not show such an item."""

    text = "Item not found"


class ItemPriceChanged(PlatformError):
    """The player saw another price than the catalogue has now."""

    text = "Item price has changed"


class PriceNotAboveWager(PlatformError):
    """Nothing to win: the item is worth no more than the wager."""

    text = "Item price must be higher than the wager"


class WagerTooSmall(PlatformError):
    """The chance would round down to no roll at all."""

    text = "Wager is too small for this item"


class WagerAboveLimit(PlatformError):
    """More than the highest wager."""

    text = "Wager is above the limit"


class CommitmentMismatch(PlatformError):
    """The player holds another commitment than the one in play."""

    text = "Commitment does not match"


class RequestIdReused(PlatformError):
    """The request id has been used with other content."""

    text = "Request id was used for another spin"
