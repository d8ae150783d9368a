"""SIGTERM stops the server in order during play."""

import pytest

from bench.harness.servers import gunicorn, server_process
from bench.harness.sockets import Socket
from models.bets import Bet
from models.db.connection import reading
from tests.support.markers import sqlite_only

pytestmark = pytest.mark.process


@pytest.fixture
def item(add_item):
    return add_item(price=10)


@sqlite_only
def test_the_server_ends_with_code_0_although_sockets_are_open(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        sockets = [Socket(server.url, auth={"token": player.token}) for _ in range(5)]

        assert server.stop() == 0

    assert all(socket.transport.closed() for socket in sockets)
    for socket in sockets:
        socket.close()


@sqlite_only
def test_a_server_without_sockets_does_not_wait_for_clients(app, env, warm_start, tmp_path):
    target = gunicorn("tests.support.changed_apps:long_wait_for_clients()")
    with warm_start.server_process(target, env, tmp_path) as server:
        server.stop(timeout=20)


@sqlite_only
def test_a_spin_with_a_pending_proof_is_proven_after_the_restart(item, player, env, warm_start, tmp_path):
    env = env | {"UPGRADER_PROOF_DELAY": "2"}
    with warm_start.server_process(gunicorn(), env, tmp_path) as server:
        socket = Socket(server.url, auth={"token": player.token})
        assert socket.spin({"amount": 1, "item": item})["status"] is True
        assert server.stop() == 0
        socket.close()

    with warm_start.server_process(gunicorn(), env, tmp_path) as server:
        socket = Socket(server.url, auth={"token": player.token})
        proof = socket.expect("upgrader:proof")
        socket.close()

    with reading():
        assert proof["serverSeedCommitment"] == Bet.get().server_seed_commitment


def test_every_acknowledged_spin_survives_a_crash(item, player, env, warm_start, tmp_path, run):
    with warm_start.server_process(gunicorn(), env, tmp_path) as server:
        socket = Socket(server.url, auth={"token": player.token})
        answers = [socket.spin({"amount": 1, "item": item}) for _ in range(10)]
        server.kill()
        socket.close()

    assert all(answer["status"] for answer in answers)
    assert run("fairness", "audit")["bets"] == 10
    assert run("ledger", "audit")["mismatches"] == 0
