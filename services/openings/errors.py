"""The refusals of an opening. services/games/errors.py has those that all games share."""

from services.shared.errors import Refusal


class LevelTooLow(Refusal):
    """A level case that needs a higher level than the player has before the opening."""

    text = "Your level is too low"


class CaseNotAvailable(Refusal):
    """An item has no price, or the case costs nothing although it is not the free case."""

    text = "Case is not available"


class CasePriceChanged(Refusal):
    """The player saw another price."""

    text = "Case price has changed"


class CaseChanged(Refusal):
    """The player saw another snapshot."""

    text = "Case has changed"
