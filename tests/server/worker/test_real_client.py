"""The real JavaScript client against the real servers."""

import pytest

from bench.harness.node import node
from bench.harness.servers import flask_run, gunicorn, server_process
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


@pytest.mark.thorough
@pytest.mark.parametrize("command", [gunicorn])
@pytest.mark.parametrize("transport", ["websocket", "polling"])
def test_a_client_of_a_bad_token_is_refused_and_of_an_ended_session_stays_as_spectator(
    server, player, transport
):
    refused = node("spin.mjs", server.url, "not-a-token", transport, "any", 5)
    ended = node("session.mjs", server.url, player.token, transport, ITEM)

    assert refused == {"refused": "Unauthorized"}
    unauthorized = {"status": False, "error": "Unauthorized"}
    assert ended == {"before": True, "status": 200, "after": unauthorized, "connected": True}
