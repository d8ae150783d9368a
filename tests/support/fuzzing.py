"""Fuzzing with schemathesis: valid and invalid requests generated from the API document, and their checks.

Requests go to a real port. The checks: no answer is a server error; status, content type, headers and body
are as documented for the operation; input that the document excludes is refused; a protected operation needs
a valid token; and the answer to a wrong method lists the allowed ones.

The operation that revokes all tokens of its caller is called with the token of another player.

There is no check that all documented input is accepted, because a valid code may be used already, and a
valid amount may exceed the balance.
"""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events, from_schema

from tests.harness.players import bearer
from tests.support.sample_data import SamplePlayer

SEED = 20_011

REVOKES_TOKENS = "POST /auth/logout-all"

# A provider that is not configured is answered with 501.
NO_FAILURES = ["2xx", "3xx", "4xx", "501"]


@dataclass
class Fuzzed:
    """The results: operations, requests by phase, statuses, and each failure once."""

    operations: set[str] = field(default_factory=set)
    cases: dict[str, int] = field(default_factory=dict)
    statuses: dict[int, int] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, scenario: events.ScenarioFinished) -> None:
        recorder = scenario.recorder
        phase = scenario.phase.value
        self.cases[phase] = self.cases.get(phase, 0) + len(recorder.cases)
        for case_id, exchange in recorder.interactions.items():
            self.operations.add(_operation(recorder, case_id))
            if exchange.response is not None:
                status = exchange.response.status_code
                self.statuses[status] = self.statuses.get(status, 0) + 1
        for case_id, checks in recorder.checks.items():
            exchange = recorder.interactions.get(case_id)
            for check in checks:
                if check.status is Status.FAILURE and not _is_left_out(check.name, exchange):
                    what = f"{check.failure_info.failure}\n{check.failure_info.code_sample}"
                    self.failures.setdefault((_operation(recorder, case_id), check.name), what)


def _is_left_out(check: str, exchange: Any) -> bool:
    """Whether this has an empty parameter or a blank body. The document allows both, unknown to the check."""
    if check != "negative_data_rejection" or exchange is None:
        return False
    if (exchange.request.body or b"").isspace():
        return True
    return "" in dict(parse_qsl(urlsplit(exchange.request.uri).query, keep_blank_values=True)).values()


def _operation(recorder: Any, case_id: str) -> str:
    return str(recorder.cases[case_id].value.operation.label)


def fuzz(url: str, player: SamplePlayer, *, examples: int, edges: bool = True, seed: int = SEED) -> Fuzzed:
    """Fuzz the API at an address, as this player.

    ``examples`` is the most generated requests of an operation. ``edges`` adds a thousand requests at the
    limits of what the document allows, and just beyond. The same seed generates the same requests.
    """
    config = SchemathesisConfig.from_dict(
        {
            "seed": seed,
            "headers": player.headers,
            "operations": [{"include-name": REVOKES_TOKENS, "headers": bearer(player.friend_token)}],
            "max-redirects": 0,
            "continue-on-failure": True,
            "generation": {"max-examples": examples, "deterministic": True, "database": "none"},
            "phases": {"coverage": {"enabled": edges}},
            "checks": {
                "positive_data_acceptance": {"enabled": False},
                "not_a_server_error": {"expected-statuses": NO_FAILURES},
            },
        }
    )
    found = Fuzzed()
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json", config=config)
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            found.add(event)
        elif isinstance(event, events.NonFatalError):
            found.failures[event.label, "could not be asked"] = repr(event.value)
        elif isinstance(event, events.FatalError):
            raise event.exception
    status = requests.get(f"{url}/auth/me", headers=player.headers, timeout=10).status_code
    if status != HTTPStatus.OK:
        found.failures["afterwards", "the player's token"] = f"answered with {status}"
    return found
