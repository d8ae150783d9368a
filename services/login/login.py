"""One way to log in, from the first redirect to the token, whatever the provider's protocol."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from services import users
from services.clock import Millis
from services.login.attempts import Attempt, Attempts
from services.login.errors import LoginFailed, ProviderNotConfigured
from services.login.person import Person
from services.server_seeds import ServerSeeds
from services.text import is_storable
from services.tokens import Tokens


class Provider(Protocol):
    """Somebody who says who a player is."""

    def address(self, attempt: Attempt, *, now: Millis) -> str:
        """Where the browser goes to log in. Raises ProviderUnavailable."""

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:
        """Who came back with these parameters. Raises LoginFailed, ProviderUnavailable."""


@dataclass(frozen=True)
class Beginning:
    """Where to send the browser, and what it must bring back."""

    address: str
    sealed: str = field(repr=False)


class Login:
    """Begins and finishes logins with one provider; None when the operator has set up none."""

    def __init__(
        self, *, provider: Provider | None, attempts: Attempts, seeds: ServerSeeds, tokens: Tokens
    ) -> None:
        self._provider = provider
        self._attempts = attempts
        self._seeds = seeds
        self._tokens = tokens

    @property
    def is_configured(self) -> bool:
        return self._provider is not None

    def begin(self, *, now: Millis) -> Beginning:
        """A new login. Raises ProviderNotConfigured, ProviderUnavailable."""
        provider = self._configured()
        attempt, sealed = self._attempts.begin(now=now)
        return Beginning(provider.address(attempt, now=now), sealed)

    def finish(self, *, query: Iterable[tuple[str, str]], sealed: str | None, now: Millis) -> str:
        """The token of the player who comes back with this query; a first login makes the account.

        Raises ProviderNotConfigured, LoginFailed, ProviderUnavailable.
        """
        provider = self._configured()
        parameters = _single(list(query))
        attempt = self._attempts.resume(sealed, state=parameters.get("state"), now=now)
        person = provider.identify(parameters, attempt, now=now)
        user = users.sign_in(
            platform_id=person.platform_id,
            username=person.username,
            avatar=person.avatar,
            seeds=self._seeds,
            now=now,
        )
        return self._tokens.issue(platform_id=user.platform_id, now=now)

    def _configured(self) -> Provider:
        if self._provider is None:
            raise ProviderNotConfigured
        return self._provider


def _single(query: list[tuple[str, str]]) -> dict[str, str]:
    """The parameters by name. One that comes twice could mean one thing to us and another to the provider."""
    if any(count > 1 for count in Counter(name for name, _ in query).values()):
        raise LoginFailed("a parameter came twice")
    if not all(is_storable(name) and is_storable(value) for name, value in query):
        raise LoginFailed("a parameter is not text")
    return dict(query)
