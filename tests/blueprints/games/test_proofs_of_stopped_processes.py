"""Proofs of bets whose process was killed, stood still or was stopped before they were due."""

import itertools

import pytest

from bench.harness.players import create_player
from bench.harness.waiting import wait_until
from models.bets import Bet
from models.db.connection import reading
from tests.support.apps import ITEM, production_processes

pytestmark = pytest.mark.redis

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def platform(postgres, redis, warm_start, tmp_path_factory):
    changes = {"REDIS_URL": redis.url, "UPGRADER_PROOF_DELAY": "1"}
    with production_processes(
        postgres, tmp_path_factory.mktemp("processes"), warm_start, **changes
    ) as platform:
        yield platform


@pytest.fixture(scope="module")
def app(platform):
    """An app that serves nobody, for its services."""
    return platform[0]


@pytest.fixture(scope="module")
def two_processes(platform):
    return platform[1].processes


@pytest.fixture
def player(app):
    return create_player(app, f"player{next(NUMBERS)}")


@pytest.fixture
def survivor(two_processes):
    """A process that runs all the time."""
    return two_processes[0]


@pytest.fixture
def other(two_processes):
    """A process that the test stops."""
    process = two_processes[1]
    if process.running is None:
        process.start()
    return process


@pytest.fixture
def connect(open_socket):
    """Opens sockets to a process, and reads what they are sent on connecting."""

    def connect(process, player=None):
        socket = open_socket(process.running.url, player)
        socket.expect("live-bets")
        return socket

    return connect


def spin(socket):
    assert socket.spin({"amount": 1, "item": ITEM})["status"] is True


def announced(spectator, *, last):
    """The names of the players of announced bets, up to this player's."""
    names = []
    while last.username not in names:
        names.append(spectator.expect("live-bets:new")["user"])
    return names


def is_claimed(player):
    with reading():
        return Bet.select().where(Bet.user == player.id, Bet.proof_held_by.is_null(False)).exists()


@pytest.mark.thorough
def test_a_process_sends_the_proofs_of_one_that_stands_still(connect, open_socket, survivor, other, player):
    spin(connect(other, player))
    with other.running.paused():
        leaving = connect(survivor, player)
        spin(leaving)
        wait_until(lambda: is_claimed(player))
        leaving.close()
        # A proof may come before the live bets, up to which ``connect`` reads.
        back = open_socket(survivor.running.url, player)
        spin(back)

        assert {back.expect("upgrader:proof")["nonce"] for _ in range(3)} == {1, 2, 3}


@pytest.mark.guarantee("A killed process of several")
@pytest.mark.parametrize("end", ["kill", pytest.param("stop", marks=pytest.mark.thorough)])
def test_another_process_sends_a_stopped_process_proofs(
    app, connect, open_socket, survivor, other, player, end
):
    watching, open_there = connect(survivor), connect(survivor, player)
    unconfirmed, later = connect(other, player), create_player(app, f"later-{end}")
    spin(unconfirmed)
    assert unconfirmed.expect("upgrader:proof")["nonce"] == 1
    spin(connect(other, later))

    getattr(other, end)()

    assert open_there.expect("upgrader:proof")["nonce"] == 1
    # It may come before the live bets, up to which ``connect`` reads.
    assert open_socket(survivor.running.url, later).expect("upgrader:proof")["nonce"] == 1
    assert {player.username, later.username} <= set(announced(watching, last=later))
