"""The refusals of selling and shipping a prize."""

from services.shared.errors import PlatformError


class PrizeNotFound(PlatformError):
    """No prize has this id, or it is another player's."""

    status = 404
    text = "Prize not found"


class PrizeNotAvailable(PlatformError):
    """The prize is not ``kept``."""

    text = "Prize is no longer available"


class ShippingIncomplete(PlatformError):
    """The player's details lack something that a parcel needs."""

    text = "Shipping details are incomplete"
