"""A login from the first redirect to the player, and the linking of one, the same for both providers."""

from dataclasses import dataclass

from models.callers import Caller
from models.db.connection import writing
from models.logins import LoginProvider
from models.users import User
from services.accounts import access, logins
from services.accounts.login import devices
from services.accounts.login.providers import (
    ATTEMPT_MS,
    LINK_MS,
    Attempt,
    LinkingAccount,
    LoginFailed,
    Person,
    Provider,
    use_once,
)
from services.accounts.logins import ProviderLinked
from services.accounts.two_factor.service import Challenge, TwoFactorAuthentication
from services.audit_trail.actor import acting_as, acting_as_player, current_actor
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import AccountSuspended, Unauthorized
from services.shared.text import is_storable


@dataclass(frozen=True)
class Linked:
    """A login was linked to the account of this player."""

    user_id: int


@dataclass(frozen=True, kw_only=True)
class Login:
    """Login with one provider.

    Players with 2FA need a code for it if ``needs_code``, which the operator sets (TWO_FACTOR_REQUIRED_FOR).
    """

    name: LoginProvider
    provider: Provider
    encrypter: Encrypter
    two_factor: TwoFactorAuthentication
    needs_code: bool

    def begin(self, *, now: Millis) -> tuple[str, str]:
        """The URL to send the browser to, and the value of the cookie that it must bring back.

        Raises ProviderUnavailable.
        """
        return self._begin(Attempt(expires_at=Millis(now + ATTEMPT_MS)), now=now)

    def begin_link(self, user: Caller, *, now: Millis) -> tuple[str, str]:
        """What ``begin`` returns, for linking a login to the account of this player within LINK_MS.

        Raises ProviderLinked, ProviderUnavailable.
        """
        logins.check_not_linked(user.id, self.name)
        account = LinkingAccount(user.id, user.platform_id, user.token_number)
        return self._begin(Attempt.to_link(account, now=now), now=now)

    def _begin(self, attempt: Attempt, *, now: Millis) -> tuple[str, str]:
        return self.provider.login_url(attempt, now=now), attempt.to_cookie(self.encrypter)

    def finish(
        self, *, query: list[tuple[str, str]], cookie: str | None, device: str, now: Millis
    ) -> User | Challenge | Linked:
        """The player who comes back with this query, a challenge to send a 2FA code for, or what was linked.

        The first login creates the account. The ``device`` of a login is noted once the provider has said who
        it is, whatever becomes of it. Raises LoginFailed, ProviderUnavailable, AccountSuspended,
        AccountClosed, LoginRemoved, and AlreadyLinked for a link.
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
        if attempt.account is not None:
            return self._link(attempt.account, person, attempt, now=now)
        return self._log_in(person, device, now=now)

    def _log_in(self, person: Person, device: str, *, now: Millis) -> User | Challenge:
        # The id of a new account; the login may lead to one with another id.
        with acting_as_player(person.login_id):
            user = logins.get_or_create(
                login_id=person.login_id,
                provider=self.name,
                username=person.username,
                avatar=person.avatar,
                now=now,
            )
        with acting_as_player(user.platform_id):
            devices.note(device, user_id=user.id, now=now)
            access.check_not_suspended(user)
            if self.needs_code and user.two_factor_enabled:
                return self.two_factor.begin_login(user_id=user.id, now=now)
            with writing():
                record(AuditEventType.LOGGED_IN, now=now, user_id=user.id, after={"provider": self.name})
            return user

    def _link(self, account: LinkingAccount, person: Person, attempt: Attempt, *, now: Millis) -> Linked:
        # For twice its lifetime, since the clocks of two servers may differ.
        use_once(attempt.state, until=Millis(attempt.expires_at + LINK_MS), now=now)
        actor = current_actor.get()._replace(who=account.platform_id, token_number=account.token_number)
        # The event is refused if the token was revoked meanwhile, or the player suspended.
        try:
            with acting_as(actor):
                logins.link(user_id=account.user_id, provider=self.name, login_id=person.login_id, now=now)
        except (ProviderLinked, Unauthorized, AccountSuspended) as refusal:
            raise LoginFailed(refusal.text) from None
        return Linked(account.user_id)
