"""The sockets of a player whose tokens are revoked."""

import time
from types import SimpleNamespace

import pytest

from sockets import proofs as proof_delivery
from tests.harness.waiting import wait_until
from tests.server.realtime.conftest import on_shared_app
from tests.support.apps import ITEM

UNAUTHORIZED = {"status": False, "error": "Unauthorized"}


app, server = on_shared_app()


def spin(socket):
    """The acknowledgement of a spin."""
    return socket.spin({"amount": 1, "item": ITEM})


@pytest.fixture
def log_out(client, player):
    """Revokes the player's tokens over HTTP."""

    def log_out():
        assert client.post("/auth/logout-all", headers=player.headers).status_code == 200

    return log_out


@pytest.fixture
def log_in(run, player, connect):
    """Opens a socket with a new token of the player."""
    return lambda: connect(auth=run("users", "token", player.platform_id))


def names(socket):
    return [name for name, _ in socket.seen]


@pytest.mark.security("Logging out everywhere")
def test_only_sockets_of_the_new_token_get_proofs_and_balances(connect, player, log_out, log_in, monkeypatch):
    old, now = connect(player), time.monotonic()
    old.expect("balance")
    with monkeypatch.context() as patch:
        # No proof falls due meanwhile.
        patch.setattr(proof_delivery, "time", SimpleNamespace(monotonic=lambda: now))
        assert spin(old)["status"]
        old.expect("log:receipt")
        log_out()
        seen = len(old.seen)
    new = log_in()

    assert new.expect("upgrader:proof")["nonce"] == 1
    assert spin(new)["status"]
    assert new.expect("upgrader:proof")["nonce"] == 2

    old.expect("live-bets:new")
    old.expect("live-bets:new")
    assert set(names(old)[seen:]) <= {"live-bets", "live-bets:new"}


def test_a_new_token_outlasts_the_comparison_with_the_database(connect, player, new_player, run, log_in):
    another = connect(new_player("carol"))
    old = connect(player)
    run("users", "logout", player.platform_id)
    new = log_in()

    wait_until(lambda: spin(old) == UNAUTHORIZED, step_seconds=0.2)

    assert spin(new)["status"]
    assert spin(another)["status"]


def test_a_suspended_player_can_connect_but_not_bet_until_resumed(connect, player, run):
    open_before = connect(player)
    assert spin(open_before)["status"]
    open_before.expect("upgrader:proof")
    run("users", "suspend", player.platform_id)
    second = connect(player)

    assert [spin(open_before), spin(second)] == [{"status": False, "error": "Account suspended"}] * 2
    run("users", "resume", player.platform_id)
    assert spin(open_before)["status"]


def test_the_proof_of_a_suspended_players_bet_arrives(connect, player, run):
    socket = connect(player)
    assert spin(socket)["status"]
    socket.close()
    run("users", "suspend", player.platform_id)

    assert connect(player).expect("upgrader:proof")["nonce"] == 1


@pytest.mark.security("Suspension")
def test_the_bet_of_a_suspended_player_is_not_among_the_live_bets(connect, player, new_player, run):
    spectator, other = connect(), new_player("other")
    assert spin(connect(player))["status"]
    run("users", "suspend", player.platform_id)
    assert spin(connect(other))["status"]

    announced = []
    while other.username not in announced:
        announced.append(spectator.expect("live-bets:new")["user"])

    assert player.username not in announced
    newest = [bet["user"] for bet in connect().expect("live-bets")]
    assert (newest[0], player.username in newest) == (other.username, False)
