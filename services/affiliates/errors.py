"""Why a promo code is refused. A refusal changes nothing. Source: SPEC 4.7, the texts as they stand there."""

from services.errors import PlatformError


class CodeRequired(PlatformError):
    """No text was sent as the code, or a blank one."""

    text = "Code is required"


class CodeNotAlphanumeric(PlatformError):
    """Something else than ASCII letters and digits, blanks around them included."""

    text = "Promo code must only include letters and numbers."


class CodeLength(PlatformError):
    """Not 4 to 24 characters; the text is the contract's, the rule is too."""

    text = "Code length must be between 3 and 24 letters."


class CodeUnchanged(PlatformError):
    """The player's own code is this one already."""

    text = "Your haven't done any changes in your promo code."


class CodeAlreadySet(PlatformError):
    """The player has another code of their own, which stays."""

    text = "You already have a promo code set."


class CodeClaimed(PlatformError):
    """The code is another player's, or the special code."""

    text = "This promo code already has been claimed by someone else."


class CodeInvalid(PlatformError):
    """Nobody owns this code, and it is not the special one."""

    text = "Promo code is invalid"


class OwnCode(PlatformError):
    """The player owns this code."""

    text = "You cannot use your own promo code"


class CodeAlreadyUsed(PlatformError):
    """The player has used a code before, this one or another."""

    text = "You've already used a promo code."
