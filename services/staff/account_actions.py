"""Actions that change accounts of the staff, or take a player's second factor away.

Of one that draws an enrolment link, the proposer gets a word and whoever approves it the link, each once. So
neither of them can enrol in the place of the person.
"""

from typing import ClassVar

from services.accounts import users
from services.accounts.two_factor.service import TwoFactorAuthentication
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.staff.accounts import StaffAccounts
from services.staff.enrolment import new_word
from services.staff.permissions import Permission, Role
from services.staff.proposals import Action, Arguments
from services.staff.sessions import digest

ENROL_PATH = "/office/enrol?token="


class StaffAction(Action):
    """A change of the account with a ``name``."""

    permission: ClassVar[Permission] = Permission.STAFF_CHANGE

    def __init__(self, staff_accounts: StaffAccounts, *, base_url: str) -> None:
        self._accounts = staff_accounts
        self._base_url = base_url


class EnrolmentAction(StaffAction):
    """One that draws a link. A proposal of it has ``wordDigest``."""

    def prepare_proposal(self, arguments: Arguments) -> tuple[Arguments, str]:
        word = new_word()
        message = f"Then tell {arguments['name']} the word {word}, without which the link does not work"
        return {**arguments, "wordDigest": digest(word)}, message

    def enrolment(self, arguments: Arguments, token: str) -> str:
        """What to do with the link."""
        link, name = f"{self._base_url}{ENROL_PATH}{token}", arguments["name"]
        if "wordDigest" not in arguments:
            return f"Send this link to {name}. It works once, for 24 hours: {link}"
        return (
            f"Send this link to {name}. It works once, for 24 hours, with the word that whoever proposed this"
            f" tells them: {link}&word="
        )


class AddStaff(EnrolmentAction):
    """Adds an account: ``name``, ``role``."""

    name: ClassVar[str] = "staff.add"

    def describe(self, arguments: Arguments) -> str:
        return f"Add {arguments['name']} to the staff, with the role {arguments['role']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        token = self._accounts.add(
            name=arguments["name"],
            role=role_of(arguments),
            reason=reason,
            now=now,
            word_digest=arguments.get("wordDigest"),
        )
        return self.enrolment(arguments, token)


class ChangeRole(StaffAction):
    """Gives an account another role: ``name``, ``role``."""

    name: ClassVar[str] = "staff.change-role"

    def describe(self, arguments: Arguments) -> str:
        return f"Give {arguments['name']} the role {arguments['role']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        name, role = arguments["name"], role_of(arguments)
        self._accounts.change_role(name=name, role=role, reason=reason, now=now)
        return f"{name} has the role {role} now, and was signed out"


class DisableStaff(StaffAction):
    """Lets nobody sign in with an account: ``name``."""

    name: ClassVar[str] = "staff.disable"

    def describe(self, arguments: Arguments) -> str:
        return f"Disable the account of {arguments['name']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        self._accounts.disable(name=arguments["name"], reason=reason, now=now)
        return f"The account of {arguments['name']} is disabled"


class ResetStaff(EnrolmentAction):
    """Takes password and authenticator away, for somebody who has lost them: ``name``."""

    name: ClassVar[str] = "staff.reset"

    def describe(self, arguments: Arguments) -> str:
        return f"Reset the password and the authenticator of {arguments['name']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        token = self._accounts.reset(
            name=arguments["name"], reason=reason, now=now, word_digest=arguments.get("wordDigest")
        )
        return self.enrolment(arguments, token)


class ResetTwoFactor(Action):
    """Turns two-factor authentication off for a player who has lost the authenticator: ``platformId``."""

    name: ClassVar[str] = "two-factor.reset"
    permission: ClassVar[Permission] = Permission.TWO_FACTOR_RESET

    def __init__(self, two_factor: TwoFactorAuthentication) -> None:
        self._two_factor = two_factor

    def describe(self, arguments: Arguments) -> str:
        return f"Turn off the two-factor authentication of player {arguments['platformId']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        self._two_factor.reset(user_id=self.find_user_id(arguments), reason=reason, now=now)
        return "Two-factor authentication was turned off, and the player was notified"

    def find_user_id(self, arguments: Arguments) -> int:
        return int(users.get(platform_id=arguments["platformId"]).id)


def role_of(arguments: Arguments) -> Role:
    """The role of the arguments. Raises Refusal."""
    if arguments.get("role") not in list(Role):
        raise Refusal(f"the role must be one of {', '.join(Role)}")
    return Role(arguments["role"])
