"""The proxy of the fault tests injects the faults that it names."""

import socket
import socketserver
import threading
import time
from contextlib import closing

import pytest

from bench.harness.faults.proxy import HALF, PASS, RESET, STALL, fault_proxy, latency, slices

WORD = b"0123456789abcdef"


class Echo(socketserver.BaseRequestHandler):
    """Says everything back."""

    def handle(self):
        while data := self.request.recv(1024):
            self.request.sendall(data)


@pytest.fixture
def proxy():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
        thread.start()
        with fault_proxy(server.server_address) as proxy:
            yield proxy
        server.shutdown()
        thread.join(10)


def connect(proxy):
    return closing(socket.create_connection(("127.0.0.1", proxy.port), timeout=10))


def echo(connection):
    """What comes back, up to this much."""
    connection.sendall(WORD)
    heard = b""
    while len(heard) < len(WORD) and (data := connection.recv(1024)):
        heard += data
    return heard


def test_the_proxy_passes_all_bytes_with_latency_in_slices_or_unchanged(proxy):
    with connect(proxy) as connection:
        heard = []
        for fault in (PASS, latency(0.05), slices(0.01, slice_bytes=5)):
            proxy.become(fault)
            heard.append(echo(connection))

    assert heard == [WORD] * 3


def test_the_proxy_adds_latency_in_each_direction(proxy):
    proxy.become(latency(0.1))

    with connect(proxy) as connection:
        began = time.monotonic()
        echo(connection)

    assert time.monotonic() - began >= 0.2


def test_a_stalled_proxy_accepts_connections_and_forwards_their_bytes_later(proxy):
    proxy.become(STALL)

    with connect(proxy) as connection:
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            echo(connection)
        proxy.become(PASS)
        connection.settimeout(10)

        assert connection.recv(1024) == WORD


def test_a_reset_ends_open_connections_and_refuses_new_ones(proxy):
    with connect(proxy) as connection:
        echo(connection)
        proxy.become(RESET)

        with pytest.raises(ConnectionResetError):
            connection.recv(1024)
    with pytest.raises(ConnectionRefusedError):
        connect(proxy)
    proxy.become(PASS)
    with connect(proxy) as connection:
        assert echo(connection) == WORD


def test_the_proxy_can_cut_an_answer_in_half(proxy):
    proxy.become(HALF)

    with connect(proxy) as connection:
        assert echo(connection) == WORD[:8]
        assert connection.recv(1024) == b""
