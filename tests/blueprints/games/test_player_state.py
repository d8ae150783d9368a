"""A player's sockets at several processes are sent the same commitments and balances."""

import pytest
import requests

from tests.support.apps import ITEM

pytestmark = pytest.mark.redis

SPIN = {"amount": 1, "item": ITEM}


@pytest.fixture
def sockets(connect, player):
    """The player's sockets, one at each process."""
    return [connect(0, player), connect(1, player)]


def named(name, socket):
    return [payload for each, payload in socket.seen if each == name]


def test_a_redrawn_commitment_reaches_sockets_at_every_process(processes, sockets, player):
    announced = named("upgrader:commitment", sockets[0])[-1]
    processes.run("seeds", "redraw")

    answer = requests.get(f"{processes.urls[0]}/upgrader/commitment", headers=player.headers, timeout=10)

    assert answer.json()["nonce"] == announced["nonce"]
    assert answer.json() != announced
    assert [socket.expect("upgrader:commitment") for socket in sockets] == [answer.json()] * 2


def test_a_change_with_a_lost_signal_is_found_later(processes, sockets):
    here, there = sockets

    with processes.losing_signals():
        assert here.spin(SPIN)["status"]

    assert there.expect("upgrader:commitment") == here.expect("upgrader:commitment")
    assert there.expect("balance") == here.expect("balance")


def test_a_commands_new_balance_reaches_sockets_at_every_process(processes, sockets, player):
    processes.run("payments", "record", player.platform_id, "deposit", "25")

    assert [socket.expect("balance")["balance"] for socket in sockets] == [125, 125]
