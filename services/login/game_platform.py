"""Login with the game platform: an OpenID 2.0 relying party, and the player's public profile.

Source: OpenID Authentication 2.0.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote, urlencode

import peewee
import requests

from models.db.connection import writing
from models.login_nonces import LoginNonce
from services.login.assertions import NAMESPACE, NONCE_LIFE_MS, PREFIX, Assertion, read_assertion
from services.login.attempts import Attempt
from services.login.calls import get_document, provider_session
from services.login.errors import LoginFailed, ProviderUnavailable
from services.login.person import Person, avatar_of, username_of
from services.shared.clock import Millis

log = logging.getLogger("platform.login")

IDENTIFIER_SELECT = f"{NAMESPACE}/identifier_select"
SUMMARIES = "/ISteamUser/GetPlayerSummaries/v2/"


class GamePlatform:
    """The provider at ``openid_url``. Without an ``api_key``, it gives players no name and no avatar."""

    def __init__(self, *, openid_url: str, api_url: str, api_key: str, base_url: str) -> None:
        self._openid_url = openid_url
        self._api_url = api_url
        self._api_key = api_key
        self._realm = base_url

    def address(self, attempt: Attempt, *, now: Millis) -> str:  # noqa: ARG002  # of the Provider protocol
        request = {
            "ns": NAMESPACE,
            "mode": "checkid_setup",
            "claimed_id": IDENTIFIER_SELECT,
            "identity": IDENTIFIER_SELECT,
            "return_to": self._return_to(attempt),
            "realm": self._realm,
        }
        return f"{self._openid_url}?{urlencode({PREFIX + name: value for name, value in request.items()})}"

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:
        """The person whom the assertion in these parameters names.

        The nonce is marked as used after the provider has confirmed the assertion, so a forgery can't use up
        the nonce of a genuine one.
        """
        assertion = read_assertion(
            parameters, endpoint=self._openid_url, return_to=self._return_to(attempt), now=now
        )
        self._verify(parameters)
        _spend_nonce(assertion, now=now)
        profile = self._profile(assertion.platform_id)
        return Person(
            platform_id=assertion.platform_id,
            username=username_of(profile.get("personaname")),
            avatar=avatar_of(profile.get("avatarfull"), secure=self._realm.startswith("https:")),
        )

    def _return_to(self, attempt: Attempt) -> str:
        return f"{self._realm}/auth/platform/return?state={quote(attempt.state, safe='')}"

    def _verify(self, parameters: Mapping[str, str]) -> None:
        """Ask the provider, at its configured address, whether it made the assertion."""
        fields = {name: value for name, value in parameters.items() if name.startswith(PREFIX)}
        with provider_session(requests.Session()) as session:
            response = session.post(self._openid_url, data=fields | {f"{PREFIX}mode": "check_authentication"})
        status = response.status_code
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ProviderUnavailable("the provider answered with an error")
        try:
            lines = response.content.decode().removesuffix("\n").split("\n")
            answer = dict(line.split(":", 1) for line in lines)
        except ValueError:
            raise ProviderUnavailable("the provider's answer is not in key-value form") from None
        # A repeated key could come from a line break in a field that the provider repeats.
        is_clear = status == HTTPStatus.OK and len(answer) == len(lines)
        if not is_clear or answer.get("is_valid") != "true" or answer.get("ns", NAMESPACE) != NAMESPACE:
            raise LoginFailed("the provider did not confirm the assertion")

    def _profile(self, platform_id: str) -> Mapping[str, object]:
        """The public profile. Empty when there is none: a login works without it."""
        if not self._api_key:
            return {}
        query = {"key": self._api_key, "steamids": platform_id}
        try:
            (player,) = get_document(f"{self._api_url}{SUMMARIES}", query=query)["response"]["players"]
            profile: Mapping[str, object] = player if player["steamid"] == platform_id else {}
        except ProviderUnavailable as problem:
            extra = {"event": "login", "provider": "platform", "outcome": str(problem)}
            log.warning("profile not available", extra=extra)
            return {}
        except (KeyError, TypeError, ValueError):
            return {}
        return profile


def _spend_nonce(assertion: Assertion, *, now: Millis) -> None:
    """Mark the assertion as used. Raises LoginFailed when it was used before.

    Of two concurrent uses, in any process, the primary key refuses the second. Rows are kept for twice as
    long as a nonce is accepted, so that the clocks of two servers may differ.
    """
    try:
        with writing():
            LoginNonce.delete().where(LoginNonce.expires_at_ms < now).execute()
            LoginNonce.insert(
                nonce=assertion.nonce, expires_at_ms=assertion.nonce_at + 2 * NONCE_LIFE_MS
            ).execute()
    except peewee.IntegrityError:
        raise LoginFailed("used before") from None
