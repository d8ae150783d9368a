"""Login with the game platform: an OpenID 2.0 relying party, and the player's public profile.

Source: OpenID Authentication 2.0; what is checked of an assertion: sections 10.1 and 11.1 to 11.3. Discovery
is left out: there is one configured provider, and its identifiers are below its own address.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from urllib.parse import quote, urlencode

import requests

from services.accounts.login.providers import (
    Attempt,
    LoginFailed,
    Person,
    ProviderUnavailable,
    avatar_of,
    bounded_call,
    get_document,
    use_once,
    username_of,
)
from services.shared.clock import Millis

log = logging.getLogger("platform.login")

OPENID_NS = "http://specs.openid.net/auth/2.0"
PREFIX = "openid."
MUST_BE_SIGNED = {"op_endpoint", "claimed_id", "identity", "return_to", "response_nonce", "assoc_handle"}
NONCE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)[\x21-\x7e]{0,235}", re.ASCII)
NONCE_LIFE_MS = 300_000
IDENTIFIER_SELECT = f"{OPENID_NS}/identifier_select"
SUMMARIES = "/ISteamUser/GetPlayerSummaries/v2/"


@dataclass(frozen=True, kw_only=True)
class GamePlatform:
    """The provider at ``openid_url``. Without an ``api_key``, it gives players no name and no avatar."""

    openid_url: str
    api_url: str
    api_key: str = field(repr=False)
    base_url: str

    def login_url(self, attempt: Attempt, *, now: Millis) -> str:  # noqa: ARG002  # of the Provider protocol
        request = {
            "ns": OPENID_NS,
            "mode": "checkid_setup",
            "claimed_id": IDENTIFIER_SELECT,
            "identity": IDENTIFIER_SELECT,
            "return_to": self._return_to(attempt),
            "realm": self.base_url,
        }
        return f"{self.openid_url}?{urlencode({PREFIX + name: value for name, value in request.items()})}"

    def identify(self, parameters: Mapping[str, str], attempt: Attempt, *, now: Millis) -> Person:
        """The person whom the assertion in these parameters names.

        The nonce is marked as used after the provider has confirmed the assertion, so a forgery can't use up
        the nonce of a genuine one.
        """
        fields = {name: value for name, value in parameters.items() if name.startswith(PREFIX)}
        login_id = self._claimed_player(fields, attempt)
        nonce, nonce_at = _nonce(fields, now=now)
        self._verify(fields)
        # For twice as long as a nonce is accepted, so that the clocks of two servers may differ.
        use_once(nonce, until=Millis(nonce_at + 2 * NONCE_LIFE_MS), now=now)
        profile = self._profile(login_id)
        return Person(
            login_id=login_id,
            username=username_of(profile.get("personaname")),
            avatar=avatar_of(profile.get("avatarfull"), secure=self.base_url.startswith("https:")),
        )

    def _return_to(self, attempt: Attempt) -> str:
        return f"{self.base_url}/auth/platform/return?state={quote(attempt.state, safe='')}"

    def _claimed_player(self, fields: Mapping[str, str], attempt: Attempt) -> str:
        """The player of an assertion in which all is right that can be checked without the provider.

        The provider's address ends in ``/login``; its identifiers end in ``/id/<17 digits>`` instead. Raises
        LoginFailed.
        """
        value_of = {name.removeprefix(PREFIX): value for name, value in fields.items()}.get
        identifier = re.escape(self.openid_url.removesuffix("login")) + "id/([0-9]{17})"
        claimed = re.fullmatch(identifier, value_of("claimed_id", ""), re.ASCII)
        checks = [
            (value_of("ns") == OPENID_NS, "not OpenID 2.0"),
            (value_of("mode") == "id_res", "cancelled, or no assertion"),
            (value_of("op_endpoint") == self.openid_url, "another provider's assertion"),
            (value_of("return_to") == self._return_to(attempt), "made for another address"),
            (set(value_of("signed", "").split(",")) >= MUST_BE_SIGNED, "a field is not signed"),
            (value_of("assoc_handle") and value_of("sig"), "no signature"),
            (claimed and value_of("identity") == claimed[0], "not one of the provider's identifiers"),
        ]
        for is_right, problem in checks:
            if not is_right:
                raise LoginFailed(problem)
        return claimed[1]  # type: ignore[index]  # checked above

    def _verify(self, fields: Mapping[str, str]) -> None:
        """Ask the provider, at its configured address, whether it made the assertion."""
        check = {**fields, f"{PREFIX}mode": "check_authentication"}
        with bounded_call(requests.Session()) as session:
            response = session.post(self.openid_url, data=check)
        status = response.status_code
        # The provider blocks servers that ask often with 403 too, and a page in place of an answer.
        is_busy = status in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
        if is_busy or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ProviderUnavailable("the provider answered with an error")
        try:
            lines = response.content.decode().removesuffix("\n").split("\n")
            answer = dict(line.split(":", 1) for line in lines)
        except ValueError:
            raise ProviderUnavailable("the provider's answer is not in key-value form") from None
        # A repeated key could come from a line break in a field that the provider repeats.
        is_clear = status == HTTPStatus.OK and len(answer) == len(lines)
        if not is_clear or answer.get("is_valid") != "true" or answer.get("ns", OPENID_NS) != OPENID_NS:
            raise LoginFailed("the provider did not confirm the assertion")

    def _profile(self, login_id: str) -> Mapping[str, object]:
        """The public profile. Empty when there is none: a login works without it."""
        if not self.api_key:
            return {}
        query = {"key": self.api_key, "steamids": login_id}
        try:
            (player,) = get_document(f"{self.api_url}{SUMMARIES}", query=query)["response"]["players"]
            profile: Mapping[str, object] = player if player["steamid"] == login_id else {}
        except ProviderUnavailable as problem:
            extra = {"event": "login", "provider": "platform", "outcome": str(problem)}
            log.warning("profile not available", extra=extra)
            return {}
        except (KeyError, TypeError, ValueError):
            return {}
        return profile


def _nonce(fields: Mapping[str, str], *, now: Millis) -> tuple[str, Millis]:
    """The nonce of an assertion, and the time at its start. Raises LoginFailed if it is not of now."""
    nonce = fields.get(f"{PREFIX}response_nonce", "")
    match = NONCE.fullmatch(nonce)
    if match is None:
        raise LoginFailed("a malformed nonce")
    try:
        at = datetime.fromisoformat(match[1])
    except ValueError:
        raise LoginFailed("a malformed nonce") from None
    at_ms = Millis(int(at.timestamp()) * 1000)
    if abs(now - at_ms) > NONCE_LIFE_MS:
        raise LoginFailed("the nonce is too old or in the future")
    return nonce, at_ms
