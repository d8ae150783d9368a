"""The real JavaScript client against the real servers."""

import pytest

from bench.harness.node import node
from bench.harness.servers import flask_run, gunicorn, server_process

pytestmark = pytest.mark.process

SERVERS = {"gunicorn": gunicorn(), "flask run": flask_run()}
TRANSPORTS = ["websocket", "polling"]


@pytest.fixture(params=SERVERS)
def running(request, env, tmp_path):
    with server_process(SERVERS[request.param], env, tmp_path) as server:
        yield server


@pytest.fixture(params=TRANSPORTS)
def transport(request):
    return request.param


@pytest.fixture
def item(add_item):
    return add_item(price=10)


def test_a_player_spins_and_can_prove_the_roll(item, player, running, transport):
    told = node("spin.mjs", running.url, player.token, transport, item, 5)

    pf = next(payload for name, payload in told["events"] if name == "upgrader:pf")
    assert told["transport"] == transport
    assert told["hashes"] is True
    assert told["percent"] == pf["percent"]
    assert told["answer"]["result"]["success"] == (told["roll"] < 4_750_000)
    assert told["following"]["nonce"] == 2


def test_the_answer_is_acknowledged_before_the_next_commitment_arrives(item, player, running, transport):
    told = node("spin.mjs", running.url, player.token, transport, item, 5)

    after_pf = told["eventsAtAnswer"][told["eventsAtAnswer"].index("upgrader:pf") :]
    assert after_pf[:2] == ["upgrader:pf", "upgrader:spin"]
    names = [name for name, _ in told["events"]]
    assert names.index("upgrader:proof") > names.index("balance")


def test_a_bad_token_is_refused_at_the_handshake(app, running, transport):
    told = node("spin.mjs", running.url, "not-a-token", transport, "any", 5)

    assert told == {"refused": "Unauthorized"}


def test_the_proof_comes_six_seconds_after_the_spin(item, player, env, tmp_path):
    with server_process(gunicorn(), env | {"UPGRADER_PROOF_DELAY": ""}, tmp_path) as server:
        told = node("spin.mjs", server.url, player.token, "websocket", item, 5)

    assert 6_000 <= told["proofAfterMs"] < 9_000
