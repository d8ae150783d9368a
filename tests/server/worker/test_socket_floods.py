"""Floods of handshakes and events from one address: others connect, and the log stays short."""

from contextlib import closing

import pytest

from bench.harness.sockets import Socket
from tests.server.worker.test_hostile_websockets import TEXT, frame, upgrade
from tests.support.raw_http import open_connection, read_until

pytestmark = [pytest.mark.process, pytest.mark.thorough]

ATTACKER, PLAYER = "127.0.0.2", "127.0.0.3"
HANDSHAKES = 10_500
HANDSHAKE = b"GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: a\r\n\r\n"
ACCEPTED, REFUSED = b'"sid"', b'"Too many connections"'
SPINS = 2_000


def shake_hands(connection, count):
    """Begin so many polling handshakes over one connection, some at a time; how many were accepted."""
    accepted = 0
    for first in range(0, count, 50):
        batch = min(50, count - first)
        connection.sendall(HANDSHAKE * batch)
        received = b""
        while sum(map(received.count, (ACCEPTED, REFUSED))) < batch:
            part = connection.recv(65_536)
            assert part, "closed"
            received += part
        accepted += received.count(ACCEPTED)
    return accepted


def join(url, address):
    """Join from a client address of the loopback network. Raises TimeoutError without a welcome."""
    with closing(upgrade(url, source=address)) as connection:
        connection.sendall(frame(TEXT, b"40"))
        read_until(connection, b"live-bets")


@pytest.mark.security("Hostile connections")
def test_a_flood_of_handshakes_locks_out_no_other_address(limited):
    with closing(open_connection(limited.url, source=ATTACKER)) as attacker:
        accepted = shake_hands(attacker, HANDSHAKES // 2)
        join(limited.url, PLAYER)
        accepted += shake_hands(attacker, HANDSHAKES - HANDSHAKES // 2)

    assert accepted <= 600
    join(limited.url, PLAYER)


@pytest.mark.security("Hostile connections")
def test_a_flood_of_refused_spins_is_slowed_and_aggregated(limited):
    before = len(limited.log.read_text().splitlines())
    with closing(upgrade(limited.url, source="127.0.0.4")) as spectator:
        spectator.sendall(frame(TEXT, b"40"))
        for number in range(SPINS):
            spectator.sendall(frame(TEXT, f'42{number}["upgrader:spin",{{}}]'.encode()))
        bystander = Socket(limited.url)
        answers = [bystander.spin({})["error"] for _ in range(5)]
        received = read_until(spectator, b"Too many requests")
        bystander.close()

    lines = limited.log.read_text().splitlines()[before:]
    assert answers == ["Unauthorized"] * 5
    assert received.count(b'["upgrader:spin",{"status":false,"error":"Unauthorized"}]') == 30
    assert len(lines) < 20
