"""What staff do with a player's account. Each needs a reason, which the audit trail keeps.

These call what the commands of ``flask users`` and ``flask notifications`` call.
"""

from typing import ClassVar

from services.accounts import access, notifications, users
from services.accounts.two_factor.authentication import TwoFactorAuthentication
from services.limits import exclusions
from services.limits.exclusions import Exclusion
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff.actions import Action, Arguments
from services.staff.permissions import Permission


def log_out(*, user_id: int, reason: str, now: Millis) -> None:
    """Revoke all tokens of a player. Raises Refusal, UserNotFound."""
    access.log_out_everywhere(user_id=user_id, reason=_checked(reason), now=now)


def suspend(*, user_id: int, reason: str, now: Millis) -> Millis:
    """Suspend a player; returns since when the player is suspended. Raises Refusal, UserNotFound."""
    return access.suspend(user_id=user_id, reason=_checked(reason), now=now)


def resume(*, user_id: int, reason: str, now: Millis) -> None:
    """End the suspension of a player. Raises Refusal, UserNotFound."""
    access.resume(user_id=user_id, reason=_checked(reason), now=now)


def exclude(*, user_id: int, duration: str, reason: str, now: Millis) -> Exclusion:
    """Exclude a player from all games. Raises Refusal, UserNotFound."""
    reason = _checked(reason)
    if duration not in exclusions.DURATIONS:
        raise Refusal(f"the duration must be one of {', '.join(exclusions.DURATIONS)}")
    return exclusions.exclude(user_id=user_id, duration=duration, reason=reason, now=now)


def notify(*, user_id: int, title: str, message: str, reason: str, now: Millis) -> None:
    """Send a message to a player. Raises Refusal."""
    notifications.send(user_id=user_id, title=title, message=message, reason=_checked(reason), now=now)


class ResetTwoFactor(Action):
    """Turns two-factor authentication off for a player who has lost the authenticator: ``platformId``."""

    name: ClassVar[str] = "two-factor.reset"
    permission: ClassVar[Permission] = Permission.TWO_FACTOR_RESET

    def __init__(self, two_factor: TwoFactorAuthentication) -> None:
        self._two_factor = two_factor

    def describe(self, arguments: Arguments) -> str:
        return f"Turn off the two-factor authentication of player {arguments['platformId']}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        self._two_factor.reset(user_id=self.user_id(arguments), reason=reason, now=now)
        return "Two-factor authentication was turned off, and the player was notified"

    def user_id(self, arguments: Arguments) -> int:
        return int(users.get(platform_id=arguments["platformId"]).id)


def _checked(reason: str) -> str:
    return checked_reason(reason, least=LEAST_OF_STAFF)
