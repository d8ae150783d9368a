"""A login from the first redirect to the player, the same for both providers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from models.db.connection import writing
from models.users import User
from services.accounts import access, users
from services.accounts.login import attempts
from services.accounts.login.attempts import Attempt
from services.accounts.login.errors import LoginFailed, ProviderNotConfigured
from services.accounts.login.person import Person
from services.accounts.two_factor import login_challenges
from services.accounts.two_factor.login_challenges import Challenge
from services.audit_trail.actor import acting_as_player
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.text import is_storable


class Provider(Protocol):
    """A service that knows who a player is."""

    def login_url(self, attempt: Attempt, *, now: Millis) -> str:
        """The URL of the provider's login page for this attempt. Raises ProviderUnavailable."""

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:
        """The person who came back with these parameters. Raises LoginFailed, ProviderUnavailable."""


@dataclass(frozen=True, kw_only=True)
class Login:
    """Login with one provider, which is None when the operator has not configured it.

    With ``needs_code``, players with 2FA need a code to log in.
    """

    name: str
    provider: Provider | None
    encrypter: Encrypter
    needs_code: bool

    def begin(self, *, now: Millis) -> tuple[str, str]:
        """The URL to send the browser to, and the value of the cookie that it must bring back.

        Raises ProviderNotConfigured, ProviderUnavailable.
        """
        if self.provider is None:
            raise ProviderNotConfigured
        attempt = Attempt(expires_at=Millis(now + attempts.ATTEMPT_SECONDS * 1000))
        return self.provider.login_url(attempt, now=now), attempt.encrypt(self.encrypter)

    def finish(self, *, query: list[tuple[str, str]], cookie: str | None, now: Millis) -> User | Challenge:
        """The player who comes back with this query, or a challenge to send a 2FA code for.

        The first login creates the account.

        Raises ProviderNotConfigured, LoginFailed, ProviderUnavailable, AccountSuspended.
        """
        if self.provider is None:
            raise ProviderNotConfigured
        parameters = _single(query)
        attempt = attempts.resume(cookie, state=parameters.get("state"), encrypter=self.encrypter, now=now)
        person = self.provider.identify(parameters, attempt, now=now)
        with acting_as_player(person.platform_id):
            return self._let_in(person, now=now)

    def _let_in(self, person: Person, *, now: Millis) -> User | Challenge:
        user = users.sign_in(
            platform_id=person.platform_id,
            username=person.username,
            avatar=person.avatar,
            now=now,
        )
        access.check_not_suspended(user)
        if self.needs_code and user.two_factor_enabled:
            return login_challenges.begin(user_id=user.id, now=now)
        with writing():
            record(AuditEventType.LOGGED_IN, now=now, user_id=user.id, after={"provider": self.name})
        return user


def _single(query: list[tuple[str, str]]) -> dict[str, str]:
    """The parameters by name. Raises LoginFailed if one is repeated: the provider could take the other."""
    parameters = dict(query)
    if len(parameters) != len(query):
        raise LoginFailed("a parameter came twice")
    if not all(is_storable(name) and is_storable(value) for name, value in query):
        raise LoginFailed("a parameter is not text")
    return parameters
