"""Errors of finding and creating cases."""

from services.shared.errors import Refusal, Unauthorized


class FreeCaseNotFound(Refusal):
    status = 404
    text = "Free case not found"


class LoginToCreate(Unauthorized):
    text = "You must be logged in to create a case"


class LevelTooLowToCreate(Refusal):
    status = 403
    text = "You must be at least level 25 to create a case"


class InvalidCaseName(Refusal):
    """Not a string, too short or too long."""

    text = "Case name must be 3-32 characters"


class NameCannotBeShown(Refusal):
    """Control, private or unassigned characters, or no visible character."""

    text = "Case name has characters that cannot be shown"


class NameStartsWithLevel(Refusal):
    text = "Case name cannot start with 'level'"


class NameStartsWithFree(Refusal):
    text = "Case name cannot start with 'free'"


class ReservedName(Refusal):
    """The id of this name is the path of another endpoint."""

    text = "This case name is reserved"


class TooFewItems(Refusal):
    text = "A case must have at least 2 items"


class TooManyItems(Refusal):
    text = "A case can have at most 100 items"


class InvalidItemName(Refusal):
    """An item that is not an object, or whose name is missing, empty or too long."""

    text = "Each item must have a valid marketHashName"


class InvalidPercentage(Refusal):
    text = "Each item must have a percentage that is a number from 0 to 100"


class PercentageTooFine(Refusal):
    text = "A percentage can have at most 16 decimals"


class PercentagesDoNotAddUp(Refusal):
    """``sum_`` and ``difference`` say what the percentages sum to, and what is missing or too much."""

    text = "The percentages must sum to exactly 100"

    def __init__(self, *, sum_: str, difference: str) -> None:
        self.text = f"{type(self).text}: they sum to {sum_}, {difference}"
        super().__init__()


class ItemTwice(Refusal):
    text = "An item can be in a case only once"

    def __init__(self, *, name: str) -> None:
        self.text = f"{type(self).text}: {name}"
        super().__init__()


class UnknownItem(Refusal):
    text = "Every item must exist in the inventory"


class ItemWithoutPrice(Refusal):
    text = "An item has no price at the moment"


class DuplicateName(Refusal):
    """Another case has this name in any case of letters, or its id."""

    text = "A case with this name already exists"


class TooManyCases(Refusal):
    text = "You can only create up to 50 cases"
