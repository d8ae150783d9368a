"""Proofs of bets whose process was killed, stood still or was stopped before they were due."""

import itertools

import pytest

from models.bets import Bet
from models.db.connection import reading
from tests.harness.players import create_player
from tests.harness.waiting import wait_until
from tests.support.apps import ITEM, production_processes

pytestmark = pytest.mark.redis

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def platform(postgres, redis, warm_start, tmp_path_factory):
    changes = {"REDIS_URL": redis.url, "UPGRADER_PROOF_DELAY": "1"}
    directory = tmp_path_factory.mktemp("processes")
    with production_processes(postgres, directory, warm_start, **changes) as platform:
        yield platform


@pytest.fixture
def new_player(platform):
    return lambda: create_player(platform[0], f"player{next(NUMBERS)}")


@pytest.fixture
def survivor(platform):
    """A process that runs all the time."""
    return platform[1].processes[0]


@pytest.fixture
def other(platform):
    """A process that the test stops."""
    process = platform[1].processes[1]
    if process.running is None:
        process.start()
    return process


def spin(socket):
    socket.expect("live-bets")
    assert socket.spin({"amount": 1, "item": ITEM})["status"] is True


@pytest.mark.thorough
def test_a_process_sends_the_proofs_of_one_that_stands_still(open_socket, survivor, other, new_player):
    player = new_player()
    spin(open_socket(other.running.url, player))
    with other.running.paused():
        leaving = open_socket(survivor.running.url, player)
        spin(leaving)
        wait_until(lambda: is_claimed(player))
        leaving.close()

        back = open_socket(survivor.running.url, player)

        assert {back.expect("upgrader:proof")["nonce"] for _ in range(2)} == {1, 2}


@reading()
def is_claimed(player):
    return Bet.select().where(Bet.user == player.id, Bet.proof_held_by.is_null(False)).exists()


@pytest.mark.guarantee("A killed process of several")
@pytest.mark.parametrize("end", ["kill", pytest.param("stop", marks=pytest.mark.thorough)])
def test_another_process_sends_a_stopped_process_proofs(open_socket, survivor, other, new_player, end):
    player, later = new_player(), new_player()
    watching, open_there = open_socket(survivor.running.url), open_socket(survivor.running.url, player)
    unconfirmed = open_socket(other.running.url, player)
    spin(unconfirmed)
    assert unconfirmed.expect("upgrader:proof")["nonce"] == 1
    spin(open_socket(other.running.url, later))

    getattr(other, end)()

    assert open_there.expect("upgrader:proof")["nonce"] == 1
    assert open_socket(survivor.running.url, later).expect("upgrader:proof")["nonce"] == 1
    announced = []
    while later.username not in announced:
        announced.append(watching.expect("live-bets:new")["user"])
    assert player.username in announced
