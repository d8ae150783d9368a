"""The refusals of an opening. services/bets/errors.py has those that all games share."""

from services.shared.errors import PlatformError


class LevelTooLow(PlatformError):
    """A level case that needs a higher level than the player has before the opening."""

    text = "Your level is too low"


class CaseNotAvailable(PlatformError):
    """An item has no price, or the case costs nothing although it is not the free case."""

    text = "Case is not available"


class CasePriceChanged(PlatformError):
    """The player saw another price."""

    text = "Case price has changed"


class CaseChanged(PlatformError):
    """The player saw another snapshot."""

    text = "Case has changed"
