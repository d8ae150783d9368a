"""The refusals of signing in and of changes of staff."""

from services.shared.errors import Refusal


class SignInRefused(Refusal):
    """The name, the password or the code is wrong, or the account is disabled. Which one is not said."""

    text = "The name, the password or the code is wrong"


class TooManyTries(Refusal):
    """The name is locked for this address. Until then the right password is refused too."""

    status = 429
    text = "Too many wrong tries"


class ConflictOfInterest(Refusal):
    """The person has a part in what is to be decided about."""

    text = "Another person must decide this"


class WrongCode(Refusal):
    """The code is not of the current time, or was used before."""

    text = "The code is wrong, or was used before: wait for the next one"


class LinkNotValid(Refusal):
    """No enrolment link has this text, or it was used, replaced or expired."""

    status = 404
    text = "This link is not valid any more"


class StaffNotFound(Refusal):
    """No account of the staff has this name."""

    status = 404
    text = "There is no member of staff with this name"


class NothingToChange(Refusal):
    """The account has this role, or is disabled, already."""

    text = "There is nothing to change"
