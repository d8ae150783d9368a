"""Clients of the socket server that stop at any step are disconnected within a minute."""

import socket

import pytest
import requests

from bench.harness.waiting import wait_until
from tests.server.worker.test_hostile_websockets import TEXT, frame, upgrade
from tests.support.polling import PollingClient
from tests.support.raw_http import open_connection

pytestmark = pytest.mark.process

MINUTE_SECONDS = 60
GOOD_JOIN, BAD_JOIN = "40", '40{"token":"bad"}'
REFUSED_PACKETS = ("45-", '4"x', "bAAAA", "42", "9", "41", "4")


def half_a_body(client):
    connection = open_connection(client.url)
    connection.sendall(f"POST {client.path} HTTP/1.1\r\nHost: a\r\nContent-Length: 60\r\n\r\n42[".encode())
    return connection


def half_an_upgrade(client, *packets):
    path = client.path.replace("polling", "websocket")
    connection = upgrade(client.url, path=path, until=b"\r\n\r\n")
    for packet in packets:
        connection.sendall(frame(TEXT, packet))
    return connection


def polling(url, *posts):
    client = PollingClient(url)
    for post in posts:
        client.post(post)
    return client


def websocket(url, *packets):
    connection = upgrade(url)
    for packet in packets:
        connection.sendall(frame(TEXT, packet))
    return connection


def half_closed(url):
    connection = websocket(url, b"40")
    connection.shutdown(socket.SHUT_WR)
    return connection


STEPS = {
    "a polling handshake that is never polled": polling,
    "a polling client that joins and never polls": lambda url: polling(url, GOOD_JOIN),
    "a polling client that stops polling": lambda url: polling(url, GOOD_JOIN).poll(),
    "a polling client that was refused": lambda url: polling(url, BAD_JOIN),
    "a polling client that is refused and polls": lambda url: polling(url, BAD_JOIN).poll(),
    "a polling client that sends half a body": lambda url: half_a_body(polling(url)),
    "a joined polling client that sends half a body": lambda url: half_a_body(polling(url, GOOD_JOIN)),
    "a websocket that says nothing": websocket,
    "a websocket that joins and is silent": lambda url: websocket(url, b"40"),
    "a websocket that was refused": lambda url: websocket(url, BAD_JOIN.encode()),
    "a websocket that leaves its namespace": lambda url: websocket(url, b"40", b"41"),
    "a websocket that is closed on one side": half_closed,
    "an upgrade without a probe": lambda url: half_an_upgrade(polling(url, GOOD_JOIN)),
    "an upgrade that ends after the probe": lambda url: half_an_upgrade(polling(url, GOOD_JOIN), b"2probe"),
    "an upgrade of a client that has not joined": lambda url: half_an_upgrade(polling(url), b"2probe"),
    "an upgrade that was finished": lambda url: half_an_upgrade(polling(url, GOOD_JOIN), b"2probe", b"5"),
    **{
        f"a polling client that sends {packet}": lambda url, packet=packet: polling(url, GOOD_JOIN, packet)
        for packet in REFUSED_PACKETS
    },
}


def counts(server):
    found = requests.get(f"{server.url}/counts", timeout=10).json()
    return {name: count for name, count in found.items() if name != "memory"}


@pytest.mark.thorough
@pytest.mark.security("Hostile connections")
def test_a_client_that_stops_is_gone_within_a_minute(counting):
    # Those of the request before have ended when two counts are the same.
    wait_until(lambda: counts(counting) == counts(counting))
    before = counts(counting)

    abandoned = [step(counting.url) for step in STEPS.values()]
    wait_until(lambda: counts(counting) == before, seconds=MINUTE_SECONDS, step_seconds=0.5)

    for connection in abandoned:
        if isinstance(connection, socket.socket):
            connection.close()


@pytest.mark.thorough
def test_a_refused_packet_over_polling_is_answered_at_once(counting):
    for packet in REFUSED_PACKETS:
        client = PollingClient(counting.url)
        client.post(GOOD_JOIN)

        assert client.post(packet) in (200, 400), packet
