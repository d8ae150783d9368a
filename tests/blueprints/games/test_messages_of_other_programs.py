"""Messages in Redis that no process of the platform has sent, to two production processes."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from server.cluster.signals import CHANNEL

pytestmark = pytest.mark.redis

MALFORMED = {
    "binary": b"\xff\x00\xfe",
    "text": b"hello",
    "a number": b"5",
    "nothing": b"",
    "nested deeply": b"[" * 100_000,
    "no sender": b'{"signals": []}',
    "no signals": b'{"from": "other"}',
    "a number of signals": b'{"from": "other", "signals": 5}',
    "signals that are no pairs": b'{"from": "other", "signals": [5, [1, 2, 3]]}',
    "a name that is a list": b'{"from": "other", "signals": [[[], {}]]}',
    "an unknown name": b'{"from": "other", "signals": [["unknown", {}]]}',
    "very large": b'{"from": "other", "signals": [["cache", "' + b"a" * 20_000_000 + b'"]]}',
}
WRONG_PAYLOADS = {
    "player-state": (
        None,
        5,
        {"player": [], "events": []},
        {"player": 10**30, "events": []},
        {"events": [["hello", {}]]},
    ),
    "proofs": (None, "abc", ["abc"], [[]], [None, 1], [10**30]),
    "live-bets": (None, "abc", [5], [["hello", {}]], [["live-bets:new", 5]], {"ab": 1}),
    "cache": (None, {"tags": [[]]}, {"tags": 5}),
    "prices": (None, {"wanted": ["abc"]}, {"wanted": [10**30]}, {"asked": 5}),
    "confirmation": (5,),
}

IMPOSSIBLE_VERSION = 10**30
BURST = """
for number = 1, ARGV[1] do redis.call('PUBLISH', KEYS[1], ARGV[2]) end
redis.call('PUBLISH', KEYS[1], ARGV[3])
"""


def message(name, payload):
    return json.dumps({"from": "other", "signals": [[name, payload]]})


def impossible_balance(player):
    return message(
        "player-state", {"player": player.id, "events": [["balance", {"version": IMPOSSIBLE_VERSION}]]}
    )


def test_requests_are_answered_during_a_burst_of_messages(processes, player, connect):
    socket = connect(0, player)
    with ThreadPoolExecutor(1) as beside:
        end = beside.submit(socket.expect, "balance")
        processes.redis.client().eval(
            BURST, 1, CHANNEL, 20_000, message("unknown", None), impossible_balance(player)
        )
        answered = 0
        with requests.Session() as session:
            while not end.done():
                session.get(processes.urls[0] + "/healthz", timeout=30)
                answered += 1
        end.result()

    # Without pauses between messages, the first request would be answered after the last message.
    assert answered > 2


def test_a_balance_with_an_impossible_version_is_corrected(processes, player, connect):
    socket = connect(0, player)

    processes.redis.client().publish(CHANNEL, impossible_balance(player))

    assert socket.expect("balance") == {"version": IMPOSSIBLE_VERSION}
    assert socket.expect("balance")["balance"] == 100


def interruptions(processes):
    """How often each process has lost Redis."""
    texts = [requests.get(f"{url}/metrics", timeout=30).text for url in processes.urls]
    return [re.search(r"^redis_interruptions_total (.*)$", text, re.MULTILINE)[1] for text in texts]


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_message_interrupts_nothing(processes, player, connect, kind):
    sockets = [connect(process, player) for process in (0, 1)]
    before = interruptions(processes)

    with processes.redis.client() as client:
        client.publish(CHANNEL, MALFORMED[kind])
        client.publish(CHANNEL, impossible_balance(player))

    for socket in sockets:
        assert socket.expect("balance") == {"version": IMPOSSIBLE_VERSION}
    assert interruptions(processes) == before


@pytest.mark.parametrize("name", WRONG_PAYLOADS)
def test_wrong_payloads_reach_nobody_and_stop_no_task(processes, player, connect, name):
    socket = connect(0, player)
    unusable = [["balance", {"version": "1"}], ["upgrader:commitment", {"nonce": "1"}]]
    own = [{"player": player.id, "events": [event]} for event in unusable] if name == "player-state" else []

    for payload in (*own, *WRONG_PAYLOADS[name]):
        processes.redis.client().publish(CHANNEL, message(name, payload))
    # A task finds this change in the database.
    processes.run("payments", "record", player.platform_id, "deposit", "25")

    events = [socket.next()]
    while events[-1][0] != "balance":
        events.append(socket.next())
    assert events[-1][1]["balance"] == 125
    assert {event for event, _ in events} <= {"balance", "live-bets", "upgrader:commitment"}
