"""A player's sockets at several processes are sent the same commitments and balances."""

import json
from itertools import pairwise

import pytest
import requests

from server.cluster.signals import CHANNEL
from tests.support.apps import ITEM

pytestmark = pytest.mark.redis

SPIN = {"amount": 1, "item": ITEM}


@pytest.fixture
def sockets(connect, player):
    """The player's sockets, one at each process."""
    return [connect(0, player), connect(1, player)]


def named(name, socket):
    return [payload for each, payload in socket.seen if each == name]


def test_a_spin_is_one_signal_to_the_other_processes(processes, connect, player):
    socket = connect(0, player)
    with processes.redis.client().pubsub(ignore_subscribe_messages=True) as pubsub:
        pubsub.subscribe(CHANNEL)
        pubsub.get_message(timeout=10)

        assert socket.spin(SPIN)["status"]

        signals = []
        # A bet of an earlier test may be over only now.
        while not any(name == "live-bets" and player.username in str(bets) for name, bets in signals):
            heard = json.loads(pubsub.get_message(timeout=10)["data"])
            signals += heard["signals"]

    (payload,) = [
        payload for name, payload in signals if name == "player-state" and payload["player"] == player.id
    ]
    assert [name for name, _ in payload["events"]] == ["upgrader:commitment", "balance"]


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


def test_a_signal_older_than_the_sent_state_is_not_forwarded(processes, sockets, player):
    def signal(version):
        balances = {"balance": version, "vaultBalance": 0, "sweepstakeBalance": 0, "version": version}
        payload = {"player": player.id, "events": [["balance", balances]]}
        return ["player-state", payload]

    before = named("balance", sockets[0])[-1]["version"]

    signals = [signal(version) for version in (before + 2, before + 1, before + 3)]
    processes.redis.client().publish(CHANNEL, json.dumps({"from": "other", "signals": signals}))

    versions = []
    while before + 3 not in versions:
        versions.append(sockets[0].expect("balance")["version"])
    # In between the comparison with the database may correct these impossible versions.
    assert (before + 2, before + 1) not in pairwise(versions)


def test_each_change_is_sent_once_to_each_socket(sockets):
    spins = 100
    # Meanwhile each process compares with the database every 50 ms.
    for number in range(spins):
        assert sockets[number % 2].spin(SPIN)["status"]
        for socket in sockets:
            socket.expect("balance")

    for socket in sockets:
        versions = [balance["version"] for balance in named("balance", socket)]
        assert versions == list(range(versions[0], versions[0] + spins + 1))
        nonces = [commitment["nonce"] for commitment in named("upgrader:commitment", socket)]
        assert nonces == list(range(1, spins + 2))


def test_the_events_of_a_spin_keep_their_order(sockets):
    for number in range(50):
        socket = sockets[number % 2]
        seen = len(socket.seen)
        assert socket.spin(SPIN)["status"]
        socket.expect("log:receipt")
        assert [
            name for name, _ in socket.seen[seen:] if not name.startswith(("live", "upgrader:proof"))
        ] == [
            "upgrader:pf",
            "upgrader:spin",
            "upgrader:commitment",
            "balance",
            "log:receipt",
        ]
        sockets[1 - number % 2].expect("balance")
