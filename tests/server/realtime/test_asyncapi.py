"""The document of the socket's events, held against what the sockets really get."""

import json

import pytest

from blueprints.games import messages

PY_TYPES = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "object": dict,
    "array": list,
}


@pytest.fixture
def document(client):
    return client.get("/asyncapi.json").json


@pytest.fixture
def payloads(document):
    """What the document says of each event that is sent, by its name."""
    sent = document["operations"]["sendToClient"]["messages"]
    names = [message["$ref"].rsplit("/", 1)[1] for message in sent]
    messages = document["components"]["messages"]
    return {messages[name]["name"]: messages[name]["payload"] for name in names}


def mismatches(schema, value, path=""):
    """Where a value is not what the document says: types, constants, and exactly the keys that it names."""
    if "oneOf" in schema:
        tries = [list(mismatches(choice, value, path)) for choice in schema["oneOf"]]
        yield from [] if [] in tries else [f"{path}: none of the choices"]
    elif "const" in schema:
        yield from [] if value is schema["const"] else [f"{path}: not the constant"]
    elif not isinstance(value, PY_TYPES[schema["type"]]):
        yield f"{path}: {value!r}"
    elif schema["type"] == "object":
        if set(value) != set(schema["properties"]):
            yield f"{path}: keys {sorted(value)}"
        for name, part in schema["properties"].items():
            yield from mismatches(part, value.get(name), f"{path}.{name}")
    elif schema["type"] == "array":
        for item in value:
            yield from mismatches(schema["items"], item, f"{path}[]")
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is not among the texts"


def test_every_event_of_the_server_is_documented(payloads):
    names = {getattr(messages, name) for name in vars(messages) if name.isupper()} & set(payloads)

    assert names == {
        "upgrader:spin",
        "upgrader:pf",
        "upgrader:proof",
        "upgrader:commitment",
        "balance",
        "live-bets",
        "live-bets:new",
    }


def test_every_event_that_a_player_receives_matches_its_schema(connect, player, add_item, payloads):
    item = add_item(price=10)
    socket = connect(player)
    socket.spin({"amount": 1.25, "item": item})
    socket.spin({"amount": 100, "item": item})
    socket.expect("upgrader:proof")
    latecomer = connect(player)
    latecomer.expect("live-bets")

    seen = [
        (name, json.loads(json.dumps(payload, default=float)))
        for name, payload in socket.seen + latecomer.seen
    ]

    assert {name for name, _ in seen} == set(payloads)
    assert [problem for name, payload in seen for problem in mismatches(payloads[name], payload, name)] == []
