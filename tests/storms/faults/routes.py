"""The requests that are made during a fault, and which answers are right.

Shares nothing with the code under test: texts and envelopes are copied from the contract.
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
    """The result of one request."""

    SUCCESS = "success"
    REFUSED = "refused"
    """Refused as in the contract: status 503, its error body, Retry-After."""

    WRONG = "wrong"


@dataclass(frozen=True)
class Route:
    """A request, its usual status, and its error body during a fault."""

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
    Route("GET", "/prizes"),
    Route("POST", "/prizes/1/sell", status=404),
    Route("GET", "/affiliate/overview", refusal=STATUS_MESSAGE),
    Route("POST", "/affiliate/claim", status=400, refusal=STATUS_MESSAGE),
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
    """Classify an answer; for a wrong one with a line that describes it."""
    if answer.status_code == route.status:
        return Outcome.SUCCESS, ""
    if answer.status_code == 503 and answer.json() == route.refusal and int(answer.headers["Retry-After"]):
        return Outcome.REFUSED, ""
    return Outcome.WRONG, f"{route.method} {route.path}: {answer.status_code} {answer.text[:100]}"
