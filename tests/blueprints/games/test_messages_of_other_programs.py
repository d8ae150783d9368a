"""Messages in Redis that no process of the platform has sent, to two production processes."""

import json

import pytest
import requests

from server.cluster.signals import CHANNEL

pytestmark = pytest.mark.redis

MALFORMED = [
    b"\xff\x00\xfe",
    b"hello",
    b"5",
    b"",
    b"[" * 100_000,
    b'{"signals": []}',
    b'{"from": "other"}',
    b'{"from": "other", "signals": 5}',
    b'{"from": "other", "signals": [5, [1, 2, 3]]}',
    b'{"from": "other", "signals": [[[], {}]]}',
    b'{"from": "other", "signals": [["unknown", {}]]}',
    b'{"from": "other", "signals": [["cache", "' + b"a" * 20_000_000 + b'"]]}',
]
WRONG_PAYLOADS = {
    "player-state": (None, 5, {"player": 10**30, "events": []}, {"events": [["hello", {}]]}),
    "proofs": (None, "abc", ["abc"], [[]], [None, 1], [10**30]),
    "live-bets": (None, "abc", [5], [["hello", {}]], [["live-bets:new", 5]], {"ab": 1}),
    "cache": (None, {"tags": [[]]}, {"tags": 5}),
    "prices": (None, {"wanted": ["abc"]}, {"wanted": [10**30]}, {"asked": 5}),
    "confirmation": (5,),
}

IMPOSSIBLE_VERSION = 10**30


def message(name, payload):
    return json.dumps({"from": "other", "signals": [[name, payload]]})


def impossible_balance(player):
    return message(
        "player-state", {"player": player.id, "events": [["balance", {"version": IMPOSSIBLE_VERSION}]]}
    )


def test_a_balance_with_an_impossible_version_is_corrected(processes, player, connect):
    socket = connect(0, player)

    processes.redis.client().publish(CHANNEL, impossible_balance(player))

    assert socket.expect("balance") == {"version": IMPOSSIBLE_VERSION}
    assert socket.expect("balance")["balance"] == 100


def test_a_malformed_message_interrupts_nothing(processes, player, connect):
    sockets = [connect(process, player) for process in (0, 1)]

    with processes.redis.client() as client:
        for malformed in MALFORMED:
            client.publish(CHANNEL, malformed)
        client.publish(CHANNEL, impossible_balance(player))

    for socket in sockets:
        assert socket.expect("balance") == {"version": IMPOSSIBLE_VERSION}
    assert [requests.get(f"{url}/readyz", timeout=30).json()["redis"] for url in processes.urls] == ["ok"] * 2


def test_wrong_payloads_reach_nobody_and_stop_no_task(processes, player, connect):
    socket = connect(0, player)
    unusable = [["balance", {"version": "1"}], ["upgrader:commitment", {"nonce": "1"}]]
    wrong = [("player-state", {"player": player.id, "events": [event]}) for event in unusable]
    wrong += [(name, payload) for name, payloads in WRONG_PAYLOADS.items() for payload in payloads]

    for name, payload in wrong:
        processes.redis.client().publish(CHANNEL, message(name, payload))
    # A task finds this change in the database.
    processes.run("payments", "record", player.platform_id, "deposit", "25")

    events = [socket.next()]
    while events[-1][0] != "balance":
        events.append(socket.next())
    assert events[-1][1]["balance"] == 125
    assert {event for event, _ in events} <= {"balance", "live-bets", "upgrader:commitment"}
