"""Actions that change the staff. Whoever approves one that draws an enrolment link gets the link, once."""

from typing import ClassVar

from services.shared.clock import Millis
from services.shared.errors import OperatorError
from services.staff.accounts import StaffAccounts
from services.staff.actions import Action, Arguments
from services.staff.permissions import Permission, Role

ENROL_PATH = "/office/enrol?token="


class StaffAction(Action):
    """A change of the account with a ``name``."""

    permission: ClassVar[Permission] = Permission.STAFF_CHANGE

    def __init__(self, staff_accounts: StaffAccounts, *, base_url: str) -> None:
        self._accounts = staff_accounts
        self._base_url = base_url

    def enrolment(self, name: str, token: str) -> str:
        """What to do with the link of ``name``."""
        link = f"{self._base_url}{ENROL_PATH}{token}"
        return f"Send this link to {name}. It works once, for 24 hours: {link}"


class AddStaff(StaffAction):
    """Adds an account: ``name``, ``role``."""

    name: ClassVar[str] = "staff.add"

    def describe(self, arguments: Arguments) -> str:
        return f"Add {arguments['name']} to the staff, with the role {arguments['role']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        name = arguments["name"]
        token = self._accounts.add(name=name, role=role_of(arguments), reason=reason, now=now)
        return self.enrolment(name, token)


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


class ResetStaff(StaffAction):
    """Takes password and authenticator away, for somebody who has lost them: ``name``."""

    name: ClassVar[str] = "staff.reset"

    def describe(self, arguments: Arguments) -> str:
        return f"Reset the password and the authenticator of {arguments['name']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        name = arguments["name"]
        return self.enrolment(name, self._accounts.reset(name=name, reason=reason, now=now))


def role_of(arguments: Arguments) -> Role:
    """The role of the arguments. Raises OperatorError."""
    if arguments.get("role") not in list(Role):
        raise OperatorError(f"the role must be one of {', '.join(Role)}")
    return Role(arguments["role"])
