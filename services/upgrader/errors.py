"""The refusals of a spin. A refused spin changes nothing."""

from services.shared.errors import Refusal


class ItemNotFound(Refusal):
    """The catalogue does not show such an item."""

    text = "Item not found"


class ItemPriceChanged(Refusal):
    """The player saw another price than the catalogue has now."""

    text = "Item price has changed"


class PriceNotAboveWager(Refusal):
    """The item is worth no more than the wager."""

    text = "Item price must be higher than the wager"


class WagerTooSmall(Refusal):
    """The chance is so small that no roll would win."""

    text = "Wager is too small for this item"


class WagerAboveLimit(Refusal):
    """The wager is above the highest allowed."""

    text = "Wager is above the limit"
