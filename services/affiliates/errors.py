"""The errors of promo codes and claims. Their texts are part of the contract, mistakes included."""

from services.shared.errors import PlatformError


class CodeRequired(PlatformError):
    """The code is missing, blank, or not a text."""

    text = "Code is required"


class CodeNotAlphanumeric(PlatformError):
    text = "Promo code must only include letters and numbers."


class CodeLength(PlatformError):
    """The code does not have 4 to 24 characters. The contract fixes both this rule and this text."""

    text = "Code length must be between 3 and 24 letters."


class CodeUnchanged(PlatformError):
    text = "Your haven't done any changes in your promo code."


class CodeAlreadySet(PlatformError):
    text = "You already have a promo code set."


class CodeClaimed(PlatformError):
    """The code belongs to another player, or is the special code."""

    text = "This promo code already has been claimed by someone else."


class CodeInvalid(PlatformError):
    """No player owns this code, and it is not the special one."""

    text = "Promo code is invalid"


class OwnCode(PlatformError):
    text = "You cannot use your own promo code"


class CodeAlreadyUsed(PlatformError):
    text = "You've already used a promo code."


class NothingToClaim(PlatformError):
    text = "There is nothing to claim"
