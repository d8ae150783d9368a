"""A login from the first redirect to the player, the same for both providers."""

from dataclasses import dataclass

from models.db.connection import writing
from models.users import User
from services.accounts import access, users
from services.accounts.login import devices
from services.accounts.login.providers import ATTEMPT_MS, Attempt, LoginFailed, Provider
from services.accounts.two_factor.service import Challenge, TwoFactorAuthentication
from services.audit_trail.actor import acting_as_player
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.text import is_storable


@dataclass(frozen=True, kw_only=True)
class Login:
    """Login with one provider.

    Players with 2FA need a code for it if ``needs_code``, which the operator sets (TWO_FACTOR_REQUIRED_FOR).
    """

    name: str
    provider: Provider
    encrypter: Encrypter
    two_factor: TwoFactorAuthentication
    needs_code: bool

    def begin(self, *, now: Millis) -> tuple[str, str]:
        """The URL to send the browser to, and the value of the cookie that it must bring back.

        Raises ProviderUnavailable.
        """
        attempt = Attempt(expires_at=Millis(now + ATTEMPT_MS))
        return self.provider.login_url(attempt, now=now), attempt.to_cookie(self.encrypter)

    def finish(
        self, *, query: list[tuple[str, str]], cookie: str | None, device: str, now: Millis
    ) -> User | Challenge:
        """The player who comes back with this query, or a challenge to send a 2FA code for.

        The first login creates the account. The ``device`` is noted once the provider has said who it is,
        whatever becomes of the login. Raises LoginFailed, ProviderUnavailable, AccountSuspended.
        """
        parameters = dict(query)
        if len(parameters) != len(query):
            # The provider could have checked the other one.
            raise LoginFailed("a parameter came twice")
        if not all(is_storable(name) and is_storable(value) for name, value in query):
            raise LoginFailed("a parameter is not text")
        state = parameters.get("state")
        attempt = Attempt.from_cookie(cookie, state=state, encrypter=self.encrypter, now=now)
        person = self.provider.identify(parameters, attempt, now=now)
        with acting_as_player(person.platform_id):
            user = users.get_or_create(
                platform_id=person.platform_id, username=person.username, avatar=person.avatar, now=now
            )
            devices.note(device, user_id=user.id, now=now)
            access.check_not_suspended(user)
            if self.needs_code and user.two_factor_enabled:
                return self.two_factor.begin_login(user_id=user.id, now=now)
            with writing():
                record(AuditEventType.LOGGED_IN, now=now, user_id=user.id, after={"provider": self.name})
            return user
