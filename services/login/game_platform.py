"""Logging in with the game platform: an OpenID 2.0 relying party, and the profile of who logged in.

Source: OpenID Authentication 2.0; DECISIONS 9.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote, urlencode

import requests

from services.clock import Millis
from services.login import assertion_nonces
from services.login.assertions import NAMESPACE, PREFIX, key_values, read_assertion
from services.login.attempts import Attempt
from services.login.calls import get_document, provider_session
from services.login.errors import LoginFailed, ProviderUnavailable
from services.login.person import Person, avatar_of, username_of

log = logging.getLogger("platform.login")

IDENTIFIER_SELECT = f"{NAMESPACE}/identifier_select"
SUMMARIES = "/ISteamUser/GetPlayerSummaries/v2/"


class GamePlatform:
    """The provider at ``openid_url``. Without an ``api_key`` nobody has a name or a picture."""

    def __init__(self, *, openid_url: str, api_url: str, api_key: str, base_url: str) -> None:
        self._openid_url = openid_url
        self._api_url = api_url
        self._api_key = api_key
        self._realm = base_url

    def address(self, attempt: Attempt, *, now: Millis) -> str:  # noqa: ARG002  # others ask for the time
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
        """Whom the assertion in these parameters names.

        The nonce is spent after the provider has vouched for the assertion, so that a forgery uses up no
        genuine one, and before anything comes of it, so that no replay gets further than this.
        """
        assertion = read_assertion(
            parameters, endpoint=self._openid_url, return_to=self._return_to(attempt), now=now
        )
        self._verify(parameters)
        assertion_nonces.spend(assertion, now=now)
        profile = self._profile(assertion.platform_id)
        return Person(
            platform_id=assertion.platform_id,
            username=username_of(profile.get("personaname")),
            avatar=avatar_of(profile.get("avatarfull"), secure=self._realm.startswith("https:")),
        )

    def _return_to(self, attempt: Attempt) -> str:
        return f"{self._realm}/auth/platform/return?state={quote(attempt.state, safe='')}"

    def _verify(self, parameters: Mapping[str, str]) -> None:
        """Ask the provider itself, at the configured address, whether the assertion is its own."""
        question = {name: value for name, value in parameters.items() if name.startswith(PREFIX)}
        question[f"{PREFIX}mode"] = "check_authentication"
        with provider_session(requests.Session()) as session:
            response = session.post(self._openid_url, data=question)
        status = response.status_code
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ProviderUnavailable("the provider answered with an error")
        if status != HTTPStatus.OK:
            raise LoginFailed("the provider refused to check the assertion")
        try:
            answer = key_values(response.content.decode())
        except ValueError:
            raise ProviderUnavailable("the provider's answer is not in key-value form") from None
        if answer.get("is_valid") != "true" or answer.get("ns", NAMESPACE) != NAMESPACE:
            raise LoginFailed("not the provider's assertion")

    def _profile(self, platform_id: str) -> Mapping[str, object]:
        """The public profile; empty when there is none to be had, which stops nobody from logging in."""
        if not self._api_key:
            return {}
        query = {"key": self._api_key, "steamids": platform_id}
        try:
            document = get_document(f"{self._api_url}{SUMMARIES}", query=query)
        except ProviderUnavailable as problem:
            told = {"event": "login", "provider": "platform", "outcome": str(problem)}
            log.warning("profile not available", extra=told)
            return {}
        response = document.get("response")
        players = response.get("players") if isinstance(response, dict) else None
        found = [
            player
            for player in (players if isinstance(players, list) else [])
            if isinstance(player, dict) and player.get("steamid") == platform_id
        ]
        return found[0] if found else {}
