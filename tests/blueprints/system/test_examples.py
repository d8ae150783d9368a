"""A server with the default settings accepts the examples of bodies in the API document."""

import pytest

from tests.harness.spins import Clock, at

ACCEPTED = [
    ("POST", "/affiliate/set-code"),
    ("POST", "/api/cases/create"),
    ("POST", "/limits/exclusion"),
    ("POST", "/profile/notifications/read"),
    ("POST", "/profile/vault/lock"),
    ("PUT", "/limits"),
    ("PUT", "/profile/client-seed"),
    ("PUT", "/profile/details"),
    ("PUT", "/profile/trade-url"),
]


@pytest.fixture
def clock():
    return Clock(at("2026-12-01 12:00"))


@pytest.mark.parametrize(("method", "path"), ACCEPTED)
def test_the_example_of_a_body_is_accepted(client, new_player, add_item, method, path):
    operation = client.get("/openapi.json").json["paths"][path][method.lower()]
    example = operation["requestBody"]["content"]["application/json"]["example"]
    for item in example.get("items", []):
        add_item(item["marketHashName"], price=10)

    answer = client.open(path, method=method, json=example, headers=new_player("alice", level=25).headers)

    assert answer.status_code == 200, answer.text
