"""What is asked over HTTP while something that the server needs is at fault, and what a clear answer is.

Nothing here is shared with the code under test: texts and envelopes are those of the contract.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import requests

UNAVAILABLE = "The service is temporarily unavailable"
ERROR = {"error": UNAVAILABLE}
STATUS_ERROR = {"status": False, "error": UNAVAILABLE}
STATUS_MESSAGE = {"status": False, "message": UNAVAILABLE}


class Outcome(StrEnum):
    """What became of one question."""

    SUCCESS = "success"
    REFUSED = "refused"
    """In the words that the contract has for it."""

    WRONG = "wrong"


@dataclass(frozen=True)
class Route:
    """One question, the status it has while all is well, and the refusal that is its due while it is not."""

    method: str
    path: str
    status: int = 200
    refusal: dict[str, Any] = field(default_factory=lambda: ERROR)
    body: Any = None


NEEDS_DATABASE = [
    Route("GET", "/auth/me"),
    Route("GET", "/stats/fairness?limit=2"),
    Route("GET", "/stats/live-bets"),
    Route("GET", "/leaderboard"),
    Route("GET", "/api/cases"),
    Route("GET", "/readyz"),
    Route("GET", "/profile/user/{platform_id}", refusal=STATUS_ERROR),
    Route("GET", "/affiliate/overview", refusal=STATUS_MESSAGE),
    Route("POST", "/affiliate/use-code", status=400, refusal=STATUS_MESSAGE, body={"code": "NOBODYS"}),
    Route("POST", "/api/cases/create", status=403, refusal=STATUS_MESSAGE, body={}),
    Route("PUT", "/profile/client-seed", body={"clientSeed": "a-seed-of-mine"}),
    Route("POST", "/profile/vault/unlock", status=400),
]

NEEDS_NONE = [
    Route("GET", "/healthz"),
    Route("GET", "/upgrader/items"),
    Route("GET", "/upgrader/items/pagination?limit=2"),
    Route("GET", "/upgrader/rules"),
    Route("GET", "/metrics"),
    Route("GET", "/openapi.json"),
    Route("GET", "/auth/logout"),
    Route("GET", "/media/neutral/item.webp"),
]


def judge(route: Route, answer: requests.Response) -> tuple[Outcome, str]:
    """Whether an answer is what it should be, and if not, what it is."""
    if answer.status_code == route.status:
        return Outcome.SUCCESS, ""
    if answer.status_code == 503 and answer.json() == route.refusal and int(answer.headers["Retry-After"]):
        return Outcome.REFUSED, ""
    return Outcome.WRONG, f"{route.method} {route.path}: {answer.status_code} {answer.text[:100]}"
