"""The live bets of one process reach the sockets of all."""

import pytest

from tests.support.apps import ITEM

pytestmark = pytest.mark.redis


def first_two_bets(spectator, player):
    """The first two bets of this player that are announced, without late ones of other tests."""
    bets = []
    while len(bets) < 2:
        bet = spectator.expect("live-bets:new")
        bets += [bet] if bet["user"] == player.username else []
    return bets


def test_every_process_sends_a_due_bet_once_to_everybody(connect, player):
    spectators, playing = [connect(0), connect(1)], connect(0, player)

    for _ in range(2):
        assert playing.spin({"amount": 1, "item": ITEM})["status"]

    first, second = [first_two_bets(spectator, player) for spectator in spectators]
    assert first == second
    assert first[0] != first[1]
