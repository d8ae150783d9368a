"""Why a case is not found or not made. Source: SPEC 4.1."""

from services.errors import PlatformError, Unauthorized


class CaseNotFound(PlatformError):
    """No case has this id."""

    status = 404
    text = "Case not found"


class FreeCaseNotFound(PlatformError):
    """No free case has been imported."""

    status = 404
    text = "Free case not found"


class LoginToCreate(Unauthorized):
    """Making a case without a good token."""

    text = "You must be logged in to create a case"


class LevelTooLow(PlatformError):
    """The player has not played enough yet."""

    status = 403
    text = "You must be at least level 25 to create a case"


class InvalidCaseName(PlatformError):
    """Not a text, too short or too long."""

    text = "Case name must be 3-32 characters"


class NameCannotBeShown(PlatformError):
    """It has control, private or unassigned characters, or nothing that can be seen."""

    text = "Case name has characters that cannot be shown"


class NameStartsWithLevel(PlatformError):
    """Those names are the level cases'."""

    text = "Case name cannot start with 'level'"


class NameStartsWithFree(PlatformError):
    """Those names are the free case's."""

    text = "Case name cannot start with 'free'"


class ReservedName(PlatformError):
    """Its id is an address of something else."""

    text = "This case name is reserved"


class TooFewItems(PlatformError):
    """Not a list of items, or one too short."""

    text = "A case must have at least 2 items"


class TooManyItems(PlatformError):
    """A list of items longer than a page can bear."""

    text = "A case can have at most 100 items"


class InvalidItemName(PlatformError):
    """An item without a name that an item may have."""

    text = "Each item must have a valid marketHashName"


class InvalidPercentage(PlatformError):
    """Not a number, or not one within the bounds."""

    text = "Each item must have a percentage that is a number from 0 to 100"


class PercentageTooFine(PlatformError):
    """More decimals than are kept exactly."""

    text = "A percentage can have at most 16 decimals"


class PercentagesDoNotAddUp(PlatformError):
    """The percentages of a case are not 100 in all, to the last decimal."""

    text = "The percentages must sum to exactly 100"


class ItemTwice(PlatformError):
    """One item stands in the case twice."""

    text = "An item can be in a case only once"


class UnknownItem(PlatformError):
    """The inventory does not hold an item."""

    text = "Every item must exist in the inventory"


class ItemWithoutPrice(PlatformError):
    """An item has no price now, so the case can have none."""

    text = "An item has no price at the moment"


class DuplicateName(PlatformError):
    """Another case has this name, in whatever case, or an id made of it."""

    text = "A case with this name already exists"


class TooManyCases(PlatformError):
    """The player has made as many cases as a player may."""

    text = "You can only create up to 50 cases"
