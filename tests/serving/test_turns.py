"""Who may write something large, round by round of the event loop."""

import gevent
import pytest

from blueprints.serving.turns import AMONG_THEMSELVES, Turns


def iteration():
    return gevent.get_hub().loop.iteration


@pytest.fixture
def present():
    """Those who are being answered: more than want to write something large."""
    return set(range(1_000))


@pytest.fixture
def turns(present):
    return Turns(present)


def writers(turns, *, count, times):
    """Greenlets that write so often, and what they note at each turn: who it is, and the round."""
    noted = []

    def write(name):
        for _ in range(times):
            turns.take(name)
            noted.append((name, iteration()))

    return [gevent.spawn(write, name) for name in range(count)], noted


def rounds_of(noted):
    return [at for _, at in noted]


def test_one_goes_in_each_round_while_others_are_there(turns):
    running, noted = writers(turns, count=5, times=10)

    gevent.joinall(running, raise_error=True)

    assert len(set(rounds_of(noted))) == 50


def test_some_go_in_a_round_when_there_is_nobody_else(turns, present):
    present.clear()
    running, noted = writers(turns, count=5, times=20)

    gevent.joinall(running, raise_error=True)

    rounds = rounds_of(noted)
    assert max(rounds.count(at) for at in rounds) == AMONG_THEMSELVES


def test_who_came_first_is_served_first(turns):
    running, noted = writers(turns, count=6, times=1)

    gevent.joinall(running, raise_error=True)

    assert [name for name, _ in noted] == [*range(6)]


def test_something_short_is_done_between_two_turns(turns):
    running, noted = writers(turns, count=5, times=2)
    short = []

    def do_something_short():
        while not all(writer.dead for writer in running):
            short.append(iteration())
            gevent.sleep(0)

    gevent.spawn(do_something_short).join()

    *before_the_last, _ = rounds_of(noted)
    assert set(before_the_last) <= set(short)


def test_who_ends_while_waiting_leaves_the_line_to_the_others(turns):
    running, noted = writers(turns, count=4, times=1)
    gevent.sleep(0)

    gevent.killall(running[1:3])
    gevent.joinall(running, raise_error=True)

    assert [name for name, _ in noted] == [0, 3]


def test_the_line_goes_on_after_it_was_empty(turns):
    for _ in range(3):
        running, noted = writers(turns, count=3, times=1)
        gevent.joinall(running, raise_error=True)

        assert [name for name, _ in noted] == [0, 1, 2]
