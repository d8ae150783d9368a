"""One spin at a time for each player; players do not wait for each other."""

import threading
from contextlib import contextmanager

import pytest

from services.bets.terms import SpinInProgress
from tests.harness.spins import play_spin
from tests.harness.waiting import wait_until
from tests.support.locks import writers_held_up
from tests.support.markers import postgresql_only

SEED_OF_PLAYER = "SELECT 1 FROM announced_seeds WHERE user_id = %s FOR UPDATE"


@pytest.fixture
def in_the_middle_of_a_spin(connect, player, item, database_url, settling):
    """Runs the block while the player's spin is being settled; gives where its answer will be."""

    @contextmanager
    def spinning():
        answers = []
        socket = connect(player)
        # A player's first bet also notes that the commitment is in the log.
        socket.spin({"amount": 1, "item": item})
        with writers_held_up(database_url, SEED_OF_PLAYER, player.id):
            spin = threading.Thread(target=lambda: answers.append(socket.spin({"amount": 1, "item": item})))
            spin.start()
            wait_until(settling)
            yield answers
        spin.join()

    return spinning


@pytest.mark.both_databases("the lock")
@pytest.mark.regulation("RTS 14C: one game at a time")
def test_a_second_spin_meanwhile_is_refused(connect, player, item, in_the_middle_of_a_spin):
    second = connect(player)

    with in_the_middle_of_a_spin() as first:
        answer = second.spin({"amount": 1, "item": item})

    assert answer == {"status": False, "error": "A spin is already in progress"}
    assert first[0]["status"] is True


@pytest.mark.one_process
def test_the_lock_is_checked_before_the_request(connect, player, in_the_middle_of_a_spin):
    second = connect(player)

    with in_the_middle_of_a_spin():
        assert second.spin("nonsense")["error"] == "A spin is already in progress"


@postgresql_only
def test_another_player_can_spin_meanwhile(connect, new_player, item, in_the_middle_of_a_spin):
    other = connect(new_player("bob"))

    with in_the_middle_of_a_spin() as first:
        assert other.spin({"amount": 1, "item": item})["status"] is True
        assert first == []


@pytest.mark.both_databases("the lock")
@pytest.mark.regulation("4.3 Game cycle")
def test_only_one_of_two_processes_uses_a_seed(make_app, player, item):
    """Each time that this process is about to settle its spin, the other has settled one."""
    here, there = make_app(), make_app()
    seeds = here.extensions["services"].seeds
    draw = seeds.draw

    def outrun(*, nonce):
        play_spin(there, player, item)
        return draw(nonce=nonce)

    seeds.draw = outrun

    with pytest.raises(SpinInProgress):
        play_spin(here, player, item)
