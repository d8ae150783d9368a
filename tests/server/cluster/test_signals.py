"""Signals between processes, and the messages of other programs to the sockets of all processes."""

import threading

import pytest
from flask_socketio import SocketIO

from bench.harness.waiting import wait_until

pytestmark = [
    pytest.mark.redis,
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]


TEST = "test"
"""A signal that the product does not use."""


def signals_of(app):
    return app.extensions["services"].signals


def test_a_signal_reaches_the_other_processes_and_not_its_own(start):
    (first, _), (second, _) = start(), start()
    heard = {"first": [], "second": []}
    signals_of(first).on(TEST, heard["first"].append)
    signals_of(second).on(TEST, heard["second"].append)

    signals_of(first).publish(TEST, {"tags": ["bets"]})
    signals_of(second).publish(TEST, {"tags": ["cases"]})

    wait_until(lambda: heard["first"] and heard["second"])
    assert heard == {"first": [{"tags": ["cases"]}], "second": [{"tags": ["bets"]}]}


def test_signals_arrive_in_the_order_in_which_they_were_published(start):
    (first, _), (second, _) = start(), start()
    heard = []
    signals_of(second).on(TEST, heard.append)

    for number in range(2_000):
        signals_of(first).publish(TEST, number)

    wait_until(lambda: len(heard) == 2_000)
    assert heard == list(range(2_000))


def test_a_handler_that_fails_keeps_nothing_from_the_others(start):
    (first, _), (second, _) = start(), start()
    heard = []
    signals_of(second).on(TEST, lambda payload: 1 / payload)
    signals_of(second).on(TEST, heard.append)

    for payload in (0, 1):
        signals_of(first).publish(TEST, payload)

    wait_until(lambda: heard == [0, 1])


def test_another_program_reaches_the_sockets_of_every_process(start, open_socket, redis):
    sockets = [open_socket(url) for _, url in (start(), start())]

    SocketIO(message_queue=redis.url).emit("maintenance", {"minutes": 5})

    assert [socket.expect("maintenance") for socket in sockets] == [{"minutes": 5}] * 2


def test_a_process_ends_a_socket_of_another_one(start, open_socket):
    (first, _), (second, url) = start(), start()
    open_socket(url)
    connections = second.extensions["realtime"].connections

    first.extensions["realtime"].server.disconnect(connections.sids()[0])

    wait_until(lambda: not connections)


def test_a_message_of_another_program_that_is_malformed_does_no_harm(start, open_socket, redis):
    _, url = start()
    socket = open_socket(url)

    for text in ("", "{", "1", "[]", "{}", '[{"method": "signal"}]', '{"method": "emit", "host_id": "x"}'):
        redis.client().publish("flask-socketio", text)
    SocketIO(message_queue=redis.url).emit("maintenance", {"minutes": 5})

    assert socket.expect("maintenance") == {"minutes": 5}


def test_a_round_calls_every_function_although_one_fails(start):
    app, _ = start()
    called = threading.Event()
    app.extensions["realtime"].every_two_seconds.extend([lambda: 1 / 0, called.set])

    assert called.wait(10)
