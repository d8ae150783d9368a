"""The document of the socket's events, compared with what sockets receive."""

import json
from dataclasses import replace

import jsonschema_rs
import pytest

from models.battles import Battle
from models.db.connection import writing
from models.logins import LoginProvider
from services.accounts import logins
from services.bets import rolls
from services.bets.terms import OF_EVERY_BET
from services.shared.clock import now_ms
from sockets.bets import FAILED
from tests.harness.players import create_player, import_case
from tests.harness.servers import threaded_server
from tests.support.apps import ITEM, app_on, fresh_app, hurry, import_irl_case, import_item
from tests.support.battles import Battles

INPUTS = {"server_seed": "serverSeed", "client_seed": "clientSeed", "nonce": "nonce"}


@pytest.fixture(scope="module")
def app(sqlite_files, tmp_path_factory):
    directory = tmp_path_factory.mktemp("asyncapi")
    with fresh_app(sqlite_files, directory, REALITY_CHECK_MINUTES="0.005", RAKEBACK_RATE="0.1") as app:
        import_item()
        hurry(app)
        yield app


@pytest.fixture(scope="module")
def server(app):
    with threaded_server(app) as url:
        yield url


@pytest.fixture(scope="module")
def document(app):
    return app.test_client().get("/asyncapi.json").json


@pytest.fixture(scope="module")
def received(document):
    """The messages that the server sends, by the name of their event."""
    names = {
        message["$ref"].rpartition("/")[2]
        for operation in document["operations"].values()
        if operation["action"] == "send"
        for message in operation["messages"]
    }
    return {
        message["name"]: message
        for name, message in document["components"]["messages"].items()
        if name in names
    }


def schemas_within(schema):
    """The objects, arrays, alternatives and enumerations that a schema consists of, itself included."""
    if {"properties", "items", "oneOf", "enum"} & schema.keys():
        yield schema
    items = [schema["items"]] if "items" in schema else []
    for child in (*schema.get("properties", {}).values(), *schema.get("oneOf", []), *items):
        yield from schemas_within(child)


def test_every_schema_has_a_title_of_its_own(document):
    """Generators of models name the types by it, and know version 3.0.0 only."""
    components = document["components"]
    payloads = [message["payload"] for message in components["messages"].values()]
    named = [*components["schemas"].values(), *payloads]

    titles = [schema.get("title") for each in named for schema in schemas_within(each)]

    assert document["asyncapi"] == "3.0.0"
    assert None not in titles
    assert len(set(titles)) == len(titles) >= 38


@pytest.mark.parametrize(
    ("answer", "game"),
    [("spinAnswer", "upgrader"), ("caseAnswer", "case_openings"), ("irlAnswer", "irl_openings")],
)
def test_the_documented_refusals_are_those_that_the_code_answers(app, document, answer, game):
    refusals = (*OF_EVERY_BET, *getattr(app.extensions["services"], game).refusals)
    message = document["components"]["messages"][answer]
    _, refused, *others = message["payload"]["oneOf"]
    named = {schema["$ref"].rpartition("/")[2] for schema in others}

    answered = [each for each in refusals if each.__name__ not in named]

    assert len(answered) == len(refusals) - len(named)
    assert set(refused["properties"]["error"]["enum"]) == {each.text for each in answered} | {FAILED["error"]}


def problems(document, message, payload):
    """What is wrong with a payload by its message's schema. Keys that are not documented are wrong, too."""
    schema = closed({"payload": message["payload"], "components": document["components"]})
    validator = jsonschema_rs.validator_for(schema | {"$ref": "#/payload"})
    return [error.message for error in validator.iter_errors(payload)]


def closed(node):
    """The schemas of a document without further keys."""
    if isinstance(node, list):
        return [closed(each) for each in node]
    if not isinstance(node, dict):
        return node
    children = {name: closed(child) for name, child in node.items()}
    return children | ({"additionalProperties": False} if "properties" in node else {})


def test_the_document_has_every_event_of_the_server(received):
    of_bets = {
        f"{game}:{event}"
        for game, bet in (("upgrader", "spin"), ("case", "open"), ("irl", "open"))
        for event in (bet, "pf", "proof")
    }

    of_players = {"upgrader:commitment", "balance", "limits:reality-check", "log:receipt", "payments:changed"}
    of_players |= {"logins:changed", "payments:address-added", "rewards:changed"}
    of_battles = {"battles:changed", "battle:changed"}
    assert set(received) == of_bets | of_players | of_battles | {"live-bets", "live-bets:new"}


def battle_of(client, case):
    """The body that creates a battle of two players, who open this case once."""
    price = client.get(f"/api/cases/{case}").json["price"]
    return {"cases": [{"case": case}], "mode": "normal", "teams": "1v1", "price": price}


def test_every_event_that_a_player_receives_matches_its_schema(client, connect, player, document, received):
    import_case("Box", {ITEM: 100})
    import_irl_case("desk", price=3)
    socket = connect(player)
    deposit = {"method": "demo", "amount": 5}
    client.post("/payments/deposits", json=deposit, headers=player.headers)
    address = {"method": "demo", "name": "My wallet", "address": "wallet"}
    client.post("/payments/addresses", json=address, headers=player.headers)
    socket.spin({"amount": 1.25, "item": ITEM})
    socket.spin({"amount": 100, "item": ITEM})
    for event, case in (("case:open", "box"), ("irl:open", "desk"), ("case:open", "none"), ("irl:open", 5)):
        socket.call(event, {"case": case})
    battle = client.post("/battles", json=battle_of(client, "box"), headers=player.headers).json
    client.post("/rewards/rakeback/claim", headers=player.headers)
    for provider in LoginProvider:
        logins.link(user_id=player.id, provider=provider, login_id=f"id-{provider}", now=now_ms())
    client.delete("/auth/link/identity", headers=player.headers)
    socket.call("battles:watch")
    socket.call("battle:watch", {"id": battle["id"]})
    client.post(f"/battles/{battle['id']}/leave", headers=player.headers)
    awaited = {
        *(f"{game}:proof" for game in ("upgrader", "case", "irl")),
        *("battles:changed", "battle:changed", "limits:reality-check", "rewards:changed"),
        *("payments:changed", "payments:address-added", "logins:changed"),
    }
    while not awaited <= dict(socket.seen).keys():
        socket.next()
    latecomer = connect(player)
    latecomer.expect("live-bets")

    seen = [
        (name, json.loads(json.dumps(payload, default=float)))
        for name, payload in socket.seen + latecomer.seen
    ]

    assert {name for name, _ in seen} == set(received)
    assert [
        (name, problem) for name, payload in seen for problem in problems(document, received[name], payload)
    ] == []


def test_a_battle_of_every_state_matches_its_schema(app, client, document, received):
    alice, bob = (create_player(app, name, coins=1_000) for name in ("alice-1", "bob-1"))
    battles = Battles(app)
    settled, late = battles.play(alice, bob), battles.void(battles.open(alice, bob))
    waiting, left = battles.open(alice), battles.open(bob)
    client.post(f"/battles/{left.public_id}/leave", headers=bob.headers)
    # A restore publishes the seeds of what it cancels.
    restored = battles.open(bob)
    services = app.extensions["services"]
    with writing():
        Battle.update(is_restored=True).where(Battle.id == restored.id).execute()
    services.battles.cancel(restored.id)
    locked = battles.open(alice, bob)

    shown = [
        client.get(f"/battles/{battle.public_id}").json
        for battle in (waiting, left, restored, locked, late, settled)
    ]

    assert [each["state"] for each in shown] == [
        *("open", "cancelled", "cancelled", "locked", "void", "settled")
    ]
    assert "serverSeed" in shown[2]
    wrong = [problem for each in shown for problem in problems(document, received["battle:changed"], each)]
    assert wrong == []


def test_refusals_by_limits_and_breaks_match_their_schemas(client, connect, player, document, received):
    request = {"amount": 1, "item": ITEM}
    socket = connect(player)

    answers = []
    for kind, period in (("wager", "day"), ("loss", "month")):
        limit = {"kind": kind, "period": period, "value": 0}
        client.put("/limits", json=limit, headers=player.headers)
        answers.append(socket.spin(request))
    for duration in ("24h", "permanent"):
        client.post("/limits/exclusion", json={"duration": duration}, headers=player.headers)
        answers.append(socket.spin(request))

    assert [answer["status"] for answer in answers] == [False] * 4
    spin = received["upgrader:spin"]
    assert [problem for answer in answers for problem in problems(document, spin, answer)] == []


def test_every_event_has_an_example_that_matches_its_schema(document):
    wrong = [
        (name, problem)
        for name, message in document["components"]["messages"].items()
        for example in message["examples"] or [{"payload": "no example"}]
        for problem in problems(document, message, example["payload"])
    ]

    assert wrong == []


def test_the_example_of_a_spin_passes_verification(document):
    examples = {
        name: message["examples"][0]["payload"]
        for name, message in document["components"]["messages"].items()
    }
    proof, pf = examples["proof"], examples["pf"]
    inputs = {name: proof[key] for name, key in INPUTS.items()}

    assert rolls.commitment_of(proof["serverSeed"]) == pf["serverSeedCommitment"]
    assert rolls.percent(rolls.roll(**inputs)) == pf["percent"]


def test_the_example_of_an_opening_passes_verification(document):
    proof, pf = (
        document["components"]["messages"][name]["examples"][0]["payload"] for name in ("caseProof", "casePf")
    )
    ticket = rolls.ticket(game="case", **{name: proof[key] for name, key in INPUTS.items()})

    assert (pf["ticket"], pf["percent"]) == (str(ticket), rolls.ticket_percent(ticket))


def test_the_document_names_the_address_of_this_server(app):
    settings = replace(app.extensions["services"].settings, base_url="https://play.example.com")
    with app_on(settings) as other:
        server = other.test_client().get("/asyncapi.json").json["servers"]["socket"]

    assert (server["protocol"], server["host"]) == ("wss", "play.example.com")
