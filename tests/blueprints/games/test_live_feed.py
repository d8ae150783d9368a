"""The live bets of one process reach the sockets of all."""

import pytest

from tests.support.apps import ITEM

pytestmark = pytest.mark.redis

SPIN = {"amount": 1, "item": ITEM}


def test_a_bet_that_is_over_is_sent_once_to_everybody_at_every_process(connect, player):
    spectators, playing = [connect(0), connect(1)], connect(0, player)

    for _ in range(2):
        assert playing.spin(SPIN)["status"]

    first, second = [[spectator.next(), spectator.next()] for spectator in spectators]
    assert first == second
    assert [(name, bet["user"]) for name, bet in first] == [("live-bets:new", player.username)] * 2
    assert first[0] != first[1]


def test_everybody_gets_the_newest_bets_when_signals_were_lost(processes, connect, player):
    playing, spectator = connect(0, player), connect(1)

    with processes.losing_signals():
        assert playing.spin(SPIN)["status"]
        announced = playing.expect("live-bets:new")

    newest = spectator.expect("live-bets")
    while announced not in newest:
        # After signals that an earlier test lost.
        newest = spectator.expect("live-bets")
    assert len(newest) <= 10
