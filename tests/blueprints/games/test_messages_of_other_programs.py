"""Messages in Redis that no process of the platform has sent, to two production processes."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from server.cluster.subscription import CHANNEL

pytestmark = pytest.mark.redis

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
