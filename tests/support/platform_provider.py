"""A game platform to log in with: python3-openid's OpenID 2.0 server, and the profiles beside it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from openid.server.server import Server, Signatory
from openid.store.memstore import MemoryStore
from werkzeug import Request, Response

from tests.harness.servers import serving

LOGIN, SUMMARIES = "/openid/login", "/ISteamUser/GetPlayerSummaries/v2/"
ALICE = "76561198000000001"


class Forgetful(Signatory):
    """Confirms an assertion any number of times."""

    def invalidate(self, assoc_handle: str, dumb: bool) -> None:
        pass


@dataclass
class PlatformProvider:
    """The provider, who is logged in with it, and the ways in which it can misbehave."""

    url: str = ""
    player: str = ALICE
    names: dict[str, str] = field(default_factory=lambda: {ALICE: "Alice"})
    avatar: str = "https://avatars.example.com/alice.jpg"
    # Sent instead of the right answer to check_authentication, or to a request for a profile.
    verdict: Response | None = None
    profiles: Response | None = None
    # Nothing is answered until this is set.
    free: threading.Event = field(default_factory=threading.Event)
    checks: list[dict[str, str]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.free.set()
        self._store = MemoryStore()

    @property
    def settings(self) -> dict[str, str]:
        """What an app needs to know to log in with it."""
        return {
            "PLATFORM_OPENID_URL": f"{self.url}{LOGIN}",
            "PLATFORM_API_URL": self.url,
            "PLATFORM_API_KEY": "an-api-key-of-the-tests",
        }

    @property
    def identifier(self) -> str:
        return f"{self.url}/openid/id/{self.player}"

    def __call__(self, environ: Any, start_response: Any) -> Any:
        request = Request(environ)
        return self._answer(request)(environ, start_response)

    def _answer(self, request: Request) -> Response:
        if request.path == SUMMARIES:
            return self._profiles(request)
        server = Server(self._store, f"{self.url}{LOGIN}")
        server.signatory = Forgetful(self._store)
        server.encoder.signatory = server.signatory
        parameters = request.form if request.method == "POST" else request.args
        question = server.decodeRequest(parameters.to_dict())
        if question.mode == "check_authentication":
            self.checks.append(parameters.to_dict())
            self.free.wait()
            answer = server.handleRequest(question)
            if self.verdict is not None:
                return self.verdict
        elif self.player:
            answer = question.answer(True, identity=self.identifier, claimed_id=self.identifier)
        else:
            answer = question.answer(False)
        encoded = server.encodeResponse(answer)
        return Response(encoded.body, encoded.code, encoded.headers)

    def _profiles(self, request: Request) -> Response:
        self.asked.append(request.args.to_dict())
        self.free.wait()
        if self.profiles is not None:
            return self.profiles
        steamid = request.args["steamids"]
        player = {
            "steamid": steamid,
            "personaname": self.names.get(steamid, "Somebody"),
            "avatarfull": self.avatar,
        }
        return Response(json.dumps({"response": {"players": [player]}}), mimetype="application/json")


@contextmanager
def platform_provider() -> Iterator[PlatformProvider]:
    """A running provider."""
    provider = PlatformProvider()
    with serving(provider) as provider.url:
        yield provider
        provider.free.set()
