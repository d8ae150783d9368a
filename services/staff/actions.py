"""The actions of the back office that may need a second person."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from services.shared.clock import Millis
from services.shared.imports import Preview
from services.shared.money import Cents
from services.staff.permissions import Permission

Arguments = Mapping[str, Any]
"""What JSON can hold. Players are named by their platform ids, amounts are in cents."""


class Action(ABC):
    """One kind of action. A new one needs a line in ``action_table``."""

    name: ClassVar[str]
    permission: ClassVar[Permission]
    """Of whoever does or proposes it, and of whoever approves it."""

    @abstractmethod
    def describe(self, arguments: Arguments) -> str:
        """One sentence about what it does, for whoever decides. Reads nothing."""

    @abstractmethod
    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        """Do it within the caller's transaction; returns what was done, in one sentence.

        Raises Refusal for what the rules refuse.
        """

    def split(self, arguments: Arguments) -> tuple[Arguments, str]:
        """What a proposal stores, and a sentence for the proposer only, which is said once."""
        return arguments, ""

    def check_person(self, arguments: Arguments, *, by: str, now: Millis) -> None:  # noqa: B027
        """Raise AnotherPerson if this person must neither do, propose nor approve it.

        Called within the transaction that would execute it, and not while no action needs a second person.
        """

    def needs_second(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        """Whether a second person must approve it if this one does it.

        Called within the transaction that would execute it.
        """
        return True

    def preview(self, arguments: Arguments, *, now: Millis) -> Preview | None:  # noqa: ARG002
        """What an import would change now; None for all other actions. Raises Refusal."""
        return None

    def user_id(self, arguments: Arguments) -> int | None:  # noqa: ARG002
        """The player whom it concerns. Raises an error if there is no such player."""
        return None

    def amount(self, arguments: Arguments) -> Cents | None:  # noqa: ARG002
        """What it adds to a balance, or sends."""
        return None
