"""The refusals of a spin. A refused spin changes nothing."""

from services.shared.errors import PlatformError


class InvalidRequest(PlatformError):
    """The payload is not an object, or a key is missing or has a value of the wrong type."""

    text = "Invalid request"


class InvalidAmount(PlatformError):
    """The amount is not a number of whole cents, or is below the lowest wager."""

    text = "Invalid amount"


class InvalidClientSeed(PlatformError):
    """The client seed is not 4 to 64 letters, digits, dashes and underscores."""

    text = "Invalid client seed"


class ItemNotFound(PlatformError):
    """The catalogue does not show such an item."""

    text = "Item not found"


class ItemPriceChanged(PlatformError):
    """The player saw another price than the catalogue has now."""

    text = "Item price has changed"


class PriceNotAboveWager(PlatformError):
    """The item is worth no more than the wager."""

    text = "Item price must be higher than the wager"


class WagerTooSmall(PlatformError):
    """The chance is so small that no roll would win."""

    text = "Wager is too small for this item"


class WagerAboveLimit(PlatformError):
    """The wager is above the highest allowed."""

    text = "Wager is above the limit"


class CommitmentMismatch(PlatformError):
    """The player saw another commitment than the announced one."""

    text = "Commitment does not match"


class RequestIdReused(PlatformError):
    """The request id has been used with other content."""

    text = "Request id was used for another spin"
