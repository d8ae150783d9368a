"""The real JavaScript client against the real servers."""

import itertools

import pytest

from bench.harness.node import node
from bench.harness.players import create_player
from bench.harness.servers import flask_run, gunicorn, server_process
from tests.support.apps import ITEM, environment, fresh_app, import_item
from tests.support.markers import DATABASE_FIXTURES

pytestmark = pytest.mark.process

COMMANDS = {"gunicorn": gunicorn(), "flask run": flask_run()}
# Each kind of server and each database once.
SERVERS = [("gunicorn", "postgresql"), ("flask run", "sqlite")]
TRANSPORTS = ["websocket", "polling"]

numbers = itertools.count()


@pytest.fixture(scope="module", params=SERVERS, ids=" on ".join)
def platform(request, tmp_path_factory):
    """A server with an item, and the app beside it that creates players."""
    command, kind = request.param
    directory = tmp_path_factory.mktemp("platform")
    databases = request.getfixturevalue(DATABASE_FIXTURES[kind])
    with fresh_app(databases, directory) as app:
        import_item()
        url = app.extensions["services"].settings.database_url
        with server_process(COMMANDS[command], environment(url, directory), directory) as server:
            yield app, server


@pytest.fixture(scope="module", params=TRANSPORTS)
def spun(request, platform):
    """What the client of a new player received over one transport before, during and after a spin."""
    app, server = platform
    player = create_player(app, f"player-{next(numbers)}")
    told = node("spin.mjs", server.url, player.token, request.param, ITEM, 5)
    assert told.get("transport") == request.param, told
    return told


def test_a_player_spins_and_can_prove_the_roll(spun):
    pf = next(payload for name, payload in spun["events"] if name == "upgrader:pf")
    assert spun["hashes"] is True
    assert spun["percent"] == pf["percent"]
    assert spun["answer"]["result"]["success"] == (spun["roll"] < 4_750_000)
    assert spun["following"]["nonce"] == 2


def test_the_answer_is_acknowledged_before_the_next_commitment_arrives(spun):
    after_pf = spun["eventsAtAnswer"][spun["eventsAtAnswer"].index("upgrader:pf") :]
    assert after_pf[:2] == ["upgrader:pf", "upgrader:spin"]
    names = [name for name, _ in spun["events"]]
    assert names.index("upgrader:proof") > names.index("balance")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_bad_token_is_refused_at_the_handshake(platform, transport):
    _, server = platform

    told = node("spin.mjs", server.url, "not-a-token", transport, "any", 5)

    assert told == {"refused": "Unauthorized"}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_client_of_an_ended_session_stays_as_spectator(platform, transport):
    app, server = platform
    player = create_player(app, f"player-{next(numbers)}")

    told = node("session.mjs", server.url, player.token, transport, ITEM)

    assert told == {
        "before": True,
        "status": 200,
        "after": {"status": False, "error": "Unauthorized"},
        "connected": True,
    }
