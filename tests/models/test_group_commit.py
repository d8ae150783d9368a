"""Concurrent transactions share one commit on SQLite, and nothing else."""

import threading

import pytest
from models.db.group_commit import GroupCommit

from models.db.connection import database, reading
from models.users import User
from tests.harness.waiting import wait_until
from tests.support.markers import sqlite_only


class Refusal(Exception):
    """What one of the works raises."""


pytestmark = sqlite_only


@pytest.fixture
def together(app):
    return GroupCommit()


@pytest.fixture
def at_once(together):
    """Runs works that all wait for the same commit; gives what each gave or raised."""

    def run(*works):
        outcomes = [None] * len(works)

        def ask(place, work):
            try:
                outcomes[place] = together.run(work)
            except Exception as error:  # noqa: BLE001  # looked at by the test
                outcomes[place] = error

        threads = [threading.Thread(target=ask, args=each) for each in enumerate(works)]
        with database.write_lock():
            # The first of them waits for its turn to write, the others for the commit after.
            for place, thread in enumerate(threads):
                thread.start()
                wait_until(
                    lambda expected=place: not together._turn.free and len(together._waiting) == expected
                )
        for thread in threads:
            thread.join()
        return outcomes

    return run


def taking(player, cents):
    def take():
        User.update(balance_cents=User.balance_cents - cents).where(User.id == player.id).execute()
        return cents

    return take


def failing(player):
    def fail():
        taking(player, 1)()
        raise Refusal

    return fail


def test_each_caller_gets_the_result_of_its_own_work(at_once, player):
    assert at_once(*(taking(player, cents) for cents in (1, 2, 3))) == [1, 2, 3]


def test_a_failed_unit_of_work_is_rolled_back_alone(at_once, player, coins_of):
    before = coins_of(player)

    outcomes = at_once(taking(player, 1), taking(player, 2), failing(player), taking(player, 4))

    assert [type(outcome) for outcome in outcomes] == [int, int, Refusal, int]
    assert before - coins_of(player) == 7


def test_a_single_failed_unit_is_rolled_back_before_the_next(together, at_once, player, coins_of):
    before = coins_of(player)

    at_once(failing(player))
    together.run(taking(player, 1))

    assert before - coins_of(player) == 1


def test_a_failed_commit_is_raised_to_every_caller(at_once, player, coins_of, monkeypatch):
    before = coins_of(player)

    def fail(*_arguments):
        raise Refusal

    monkeypatch.setattr(database.obj, "commit", fail)
    outcomes = at_once(*[taking(player, 1)] * 3)

    assert [type(outcome) for outcome in outcomes] == [Refusal] * 3
    assert coins_of(player) == before


@pytest.fixture
def coins_of():
    def coins(player):
        with reading():
            return User.get_by_id(player.id).balance_cents

    return coins
