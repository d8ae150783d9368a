"""Messages in Redis that no process of the platform has sent, to two production processes."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

pytestmark = pytest.mark.redis

CHANNEL = "flask-socketio"
BURST = """
for number = 1, ARGV[1] do redis.call('PUBLISH', KEYS[1], ARGV[2]) end
redis.call('PUBLISH', KEYS[1], ARGV[3])
"""


def message(name, payload, **changes):
    return json.dumps({"method": "signal", "host_id": "other", "name": name, "payload": payload} | changes)


END = message("", None, method="emit", event="end", data=None, namespace="/")


def test_requests_are_answered_during_a_burst_of_messages(processes, connect):
    socket = connect(0)
    with ThreadPoolExecutor(1) as beside:
        end = beside.submit(socket.expect, "end")
        processes.redis.client().eval(BURST, 1, CHANNEL, 20_000, message("unknown", None), END)
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
    malformed = {"player": player.id, "events": [["balance", {"version": 10**30}]]}

    processes.redis.client().publish(CHANNEL, message("player-state", malformed))

    assert socket.expect("balance") == {"version": 10**30}
    assert socket.expect("balance")["balance"] == 100
