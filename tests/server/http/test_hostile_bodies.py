"""Bad bodies of every kind are refused by every endpoint in the same words.

The endpoints are those of the running app, so that a new one is held to this without being named here.
"""

from itertools import cycle

import pytest

from blueprints.api.errors import envelope
from services.shared.clock import DAY_MS, now_ms
from tests.support.hostile import (
    DEEP,
    MALFORMED,
    NO_OBJECTS,
    REPEATED,
    UNSTORABLE,
    VALUES,
    is_error_of,
    put,
    spoiled,
)

NOT_JSON_TEXT = "The body must be JSON"
MALFORMED_TEXT = "The body is not valid JSON"
REPEATED_TEXT = "The body has a key more than once"
NO_OBJECT_TEXT = "The body must be a JSON object"
UNSTORABLE_TEXT = "Text must not have NUL characters or lone surrogates"
JSON = "application/json"


def changing(app):
    """The method and path of every endpoint that changes something."""
    return sorted(
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"GET", "HEAD", "OPTIONS"}
    )


def bodies(client):
    """The schemas of the JSON bodies that the document has, by method and path, and the document."""
    document = client.get("/openapi.json").json
    schemas = {
        (method.upper(), path): operation["requestBody"]["content"][JSON]["schema"]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method != "parameters" and JSON in operation.get("requestBody", {}).get("content", {})
    }
    return schemas, document


def is_well_formed(path, answer):
    """Whether this is JSON, no failure, and an error in the envelope of its area."""
    if answer.status_code >= 500:
        return False
    return answer.mimetype == JSON if answer.status_code < 400 else is_error_of(path, answer)


def wrong_answers(client, player, cases, content_type=JSON):
    """The bodies that an endpoint for JSON did not refuse with 400 and the text that goes with them."""
    schemas, _ = bodies(client)
    # Of a webhook the signature is checked first.
    of_players = [place for place in schemas if not place[1].startswith("/webhooks/")]
    wrong = []
    for number, (method, path) in enumerate(of_players):
        # Every endpoint gets every third body, and every body reaches endpoints of many areas.
        for body, text in cases[number % 3 :: 3] if len(cases) > 3 else cases:
            answer = client.open(
                path, method=method, data=body, content_type=content_type, headers=player.headers
            )
            if (answer.status_code, answer.json) != (400, envelope(path, text)):
                wrong.append((method, path, body[:40], answer.status_code, answer.text))
    return wrong


@pytest.mark.guarantee("Any request")
@pytest.mark.security("Input")
def test_every_endpoint_refuses_a_bad_body_alike(client, sample_player):
    cases = [
        *((body, MALFORMED_TEXT) for body in MALFORMED.values()),
        *((body, REPEATED_TEXT) for body in REPEATED.values()),
        *((body, NO_OBJECT_TEXT) for body in NO_OBJECTS),
        *((body, UNSTORABLE_TEXT) for body in UNSTORABLE),
    ]

    assert wrong_answers(client, sample_player, cases) == []


def test_no_deep_body_makes_an_endpoint_fail(client, sample_player):
    schemas, _ = bodies(client)

    wrong = []
    for method, path in schemas:
        for body in DEEP:
            answer = client.open(
                path, method=method, data=body, content_type=JSON, headers=sample_player.headers
            )
            if not is_well_formed(path, answer):
                wrong.append((method, path, answer.status_code, answer.text))

    assert wrong == []


def test_every_endpoint_refuses_another_content_type(client, sample_player):
    kinds = ["application/x-www-form-urlencoded", "application/octet-stream", "application/xml"]

    wrong = [wrong_answers(client, sample_player, [(b"{}", NOT_JSON_TEXT)], kind) for kind in kinds]

    assert wrong == [[]] * len(kinds)


def test_every_endpoint_with_a_body_refuses_too_large_ones(client, sample_player):
    schemas, _ = bodies(client)

    answers = {
        path: client.open(path, method=method, data=b"[" * 100_000, headers=sample_player.headers)
        for method, path in schemas
    }

    expected = {path: (413, envelope(path, "Request entity too large")) for _, path in schemas}
    assert {path: (answer.status_code, answer.json) for path, answer in answers.items()} == expected


def test_no_body_makes_an_endpoint_without_json_fail(client, app, sample_player):
    schemas, _ = bodies(client)
    everything = [*MALFORMED.values(), *REPEATED.values(), *NO_OBJECTS, *UNSTORABLE, b"", b"{}"]
    kinds = (JSON, "multipart/form-data; boundary=x", "multipart/form-data", "")

    wrong = []
    for number, (method, path) in enumerate(place for place in changing(app) if place not in schemas):
        # Every endpoint gets every eighth body, with one type after the other.
        for body, kind in zip(everything[number % 8 :: 8], cycle(kinds), strict=False):
            headers = sample_player.headers
            answer = client.open(path, method=method, data=body, content_type=kind, headers=headers)
            if not is_well_formed(path, answer):
                wrong.append((method, path, body[:40], kind, answer.status_code, answer.text))

    assert wrong == []


@pytest.mark.both_databases("values that only one of them can store")
def test_no_value_in_a_body_makes_an_endpoint_fail(client, sample_player):
    schemas, document = bodies(client)
    filling = {"string": "abcd", "number": 50, "integer": now_ms() + DAY_MS, "boolean": False}
    asked, wrong = 0, []
    for (method, path), schema in schemas.items():
        for number, template in enumerate(spoiled(schema, document, filling)):
            # Every key gets every eighth value, and every value reaches many keys.
            for value in VALUES[number % 8 :: 8]:
                body, headers = put(value, template), sample_player.headers
                answer = client.open(path, method=method, data=body, content_type=JSON, headers=headers)
                asked += 1
                if not is_well_formed(path, answer):
                    wrong.append((method, path, body[:80], answer.status_code, answer.text))

    assert wrong == []
    assert asked > 200
