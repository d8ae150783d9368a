"""The real JavaScript client against the real servers."""

import pytest

from tests.harness.node import node
from tests.harness.players import import_case
from tests.harness.servers import flask_run, gunicorn, server_process
from tests.support.apps import ITEM

pytestmark = pytest.mark.process

thorough = pytest.mark.thorough


@pytest.fixture
def server(app, add_item, env, tmp_path, command):
    add_item()
    with server_process(command(), env, tmp_path) as server:
        yield server


# Each kind of server, each database and each transport.
@pytest.mark.parametrize(
    ("command", "database_kind", "transport"),
    [
        (gunicorn, "sqlite", "websocket"),
        pytest.param(gunicorn, "postgresql", "polling", marks=thorough),
        pytest.param(flask_run, "sqlite", "websocket", marks=thorough),
        pytest.param(flask_run, "sqlite", "polling", marks=thorough),
    ],
)
def test_a_player_spins_and_can_prove_the_roll(server, player, transport):
    told = node("spin.mjs", server.url, player.token, transport, ITEM, 5)

    pf = next(payload for name, payload in told["events"] if name == "upgrader:pf")
    assert (told["transport"], told["hashes"], told["percent"]) == (transport, True, pf["percent"])
    assert told["answer"]["result"]["success"] == (told["roll"] < 4_750_000)
    assert told["following"]["nonce"] == 2
    # The answer is acknowledged before the next commitment arrives.
    after_pf = told["eventsAtAnswer"][told["eventsAtAnswer"].index("upgrader:pf") :]
    assert after_pf[:2] == ["upgrader:pf", "upgrader:spin"]
    names = [name for name, _ in told["events"]]
    assert names.index("upgrader:proof") > names.index("balance")


@pytest.mark.parametrize("command", [gunicorn])
def test_everybody_sees_a_battle_from_its_creation_to_its_end(server, player, new_player):
    import_case("Box", {ITEM: 100})

    told = node("battle.mjs", server.url, player.token, new_player("bob").token, "box", 10.53)

    battles, settled = told["battle"], told["battle"][-1]
    assert told["listed"] == {"status": True, "battles": []}
    assert told["watched"]["battle"]["state"] == "open"
    assert told["joined"]["state"] == battles[0]["state"] == "locked"
    for events in (battles, told["list"]):
        versions = [battle["version"] for battle in events]
        assert versions == sorted(set(versions))
        assert (events[-1]["id"], events[-1]["state"]) == (settled["id"], "settled")
    assert sum(settled["payouts"]) == sum(settled["values"]) == 20
    [receipt] = {(receipt["battle"], receipt["proof"]) for receipt in told["receipts"]}
    assert receipt[0] == settled["id"]
