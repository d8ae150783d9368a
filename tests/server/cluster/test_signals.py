"""Signals between processes, and the messages of other programs to the sockets of all processes."""

import threading

import pytest
from flask_socketio import SocketIO

from bench.harness.waiting import wait_until

pytestmark = pytest.mark.redis


@pytest.fixture
def signals(two):
    """The signals of both processes."""
    return [app.extensions["services"].signals for app, _ in two]


def test_a_signal_reaches_the_other_processes_in_order_and_not_its_own(signals):
    first, second = signals
    heard_by_first, heard_by_second = [], []
    first.on("numbers", heard_by_first.append)
    second.on("numbers", heard_by_second.append)

    for number in range(1_000):
        first.publish("numbers", number)
    second.publish("numbers", {"tags": ["cases"]})

    wait_until(lambda: heard_by_first and len(heard_by_second) == 1_000)
    assert heard_by_second == list(range(1_000))
    assert heard_by_first == [{"tags": ["cases"]}]


def test_a_handler_that_fails_keeps_nothing_from_the_others(signals):
    first, second = signals
    heard = []
    second.on("divisors", lambda payload: 1 / payload)
    second.on("divisors", heard.append)

    for payload in (0, 1):
        first.publish("divisors", payload)

    wait_until(lambda: heard == [0, 1])


def test_another_program_reaches_the_sockets_of_every_process(two, open_socket, redis):
    sockets = [open_socket(url) for _, url in two]

    for text in ("", "{", "1", "[]", "{}", '[{"method": "signal"}]', '{"method": "emit", "host_id": "x"}'):
        # Malformed messages do no harm.
        redis.client().publish("flask-socketio", text)
    SocketIO(message_queue=redis.url).emit("maintenance", {"minutes": 5})

    assert [socket.expect("maintenance") for socket in sockets] == [{"minutes": 5}] * 2


def test_a_process_ends_a_socket_of_another_one(two, open_socket):
    (first, _), (second, url) = two
    socket = open_socket(url)
    socket.expect("live-bets")
    newest = second.extensions["realtime"].connections.sids()[-1]

    first.extensions["realtime"].server.disconnect(newest)

    assert socket.transport.receive() == "41"


def test_a_round_calls_every_function_although_one_fails(two):
    (app, _), _ = two
    called = threading.Event()
    app.extensions["realtime"].every_two_seconds.extend([lambda: 1 / 0, called.set])

    assert called.wait(10)
