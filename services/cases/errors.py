"""Errors of finding and creating cases. Source: SPEC 4.1."""

from services.shared.errors import PlatformError, Unauthorized


class CaseNotFound(PlatformError):
    """No case has this id."""

    status = 404
    text = "Case not found"


class FreeCaseNotFound(PlatformError):
    """No free case has been imported."""

    status = 404
    text = "Free case not found"


class LoginToCreate(Unauthorized):
    """Creating a case without a valid token."""

    text = "You must be logged in to create a case"


class LevelTooLow(PlatformError):
    """The player is below the level for creating cases."""

    status = 403
    text = "You must be at least level 25 to create a case"


class InvalidCaseName(PlatformError):
    """Not a string, too short or too long."""

    text = "Case name must be 3-32 characters"


class NameCannotBeShown(PlatformError):
    """Control, private or unassigned characters, or no visible character."""

    text = "Case name has characters that cannot be shown"


class NameStartsWithLevel(PlatformError):
    """Reserved for level cases."""

    text = "Case name cannot start with 'level'"


class NameStartsWithFree(PlatformError):
    """Reserved for the free case."""

    text = "Case name cannot start with 'free'"


class ReservedName(PlatformError):
    """The id of this name is the path of another endpoint."""

    text = "This case name is reserved"


class TooFewItems(PlatformError):
    """Not a list, or too short a list."""

    text = "A case must have at least 2 items"


class TooManyItems(PlatformError):
    """Too long a list."""

    text = "A case can have at most 100 items"


class InvalidItemName(PlatformError):
    """An item that is not an object, or whose name is missing, empty or too long."""

    text = "Each item must have a valid marketHashName"


class InvalidPercentage(PlatformError):
    """Not a number from 0 to 100."""

    text = "Each item must have a percentage that is a number from 0 to 100"


class PercentageTooFine(PlatformError):
    """More decimals than a chance can hold exactly."""

    text = "A percentage can have at most 16 decimals"


class PercentagesDoNotAddUp(PlatformError):
    """The exact sum of the percentages is not 100."""

    text = "The percentages must sum to exactly 100"


class ItemTwice(PlatformError):
    """The same item twice in one case."""

    text = "An item can be in a case only once"


class UnknownItem(PlatformError):
    """An item that does not exist."""

    text = "Every item must exist in the inventory"


class ItemWithoutPrice(PlatformError):
    """An item without a price, so the case has none either."""

    text = "An item has no price at the moment"


class DuplicateName(PlatformError):
    """Another case has this name in any case of letters, or its id."""

    text = "A case with this name already exists"


class TooManyCases(PlatformError):
    """The player has created as many cases as allowed."""

    text = "You can only create up to 50 cases"
