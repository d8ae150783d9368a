"""The login of development: a page of this server asks who logs in, and believes it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from models.logins import LoginProvider
from services.accounts.login.providers import Attempt, LoginFailed, Person
from services.shared.clock import Millis

PEOPLE = ("demo", "newcomer")
"""Who can log in. Of the game platform, the first one is the player of ``flask demo``."""

FIRST_ID = 76561190000000001
RETURN_PATHS = {
    LoginProvider.PLATFORM: "/auth/platform/return",
    LoginProvider.IDENTITY: "/auth/identity/callback",
}


@dataclass(frozen=True, kw_only=True)
class DemoLogins:
    """Stands in for a provider."""

    name: LoginProvider
    base_url: str

    def login_url(self, attempt: Attempt, *, now: Millis) -> str:  # noqa: ARG002  # of the Provider protocol
        return f"{self.base_url}/demo-login/{self.name}?{urlencode({'state': attempt.state})}"

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:  # noqa: ARG002
        """The person whom the player has chosen on the page."""
        name = parameters.get("person")
        if name not in PEOPLE:
            raise LoginFailed("cancelled, or no such person")
        return Person(login_id=_login_id(self.name, name), username=name, avatar="")


def return_url(base_url: str, provider: LoginProvider, *, state: str, person: str) -> str:
    """Where the page sends a player who has chosen a person; an empty one cancels."""
    return f"{base_url}{RETURN_PATHS[provider]}?{urlencode({'state': state, 'person': person})}"


def _login_id(provider: LoginProvider, name: str) -> str:
    if provider is LoginProvider.PLATFORM:
        return str(FIRST_ID + PEOPLE.index(name))
    return f"id-{hashlib.sha256(f'demo {name}'.encode()).hexdigest()[:32]}"
