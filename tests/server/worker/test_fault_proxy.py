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
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        with fault_proxy(server.server_address) as proxy:
            yield proxy
        server.shutdown()
        thread.join()


def connect(proxy):
    return closing(socket.create_connection(("127.0.0.1", proxy.port), timeout=10))


def echo(connection):
    """What comes back, up to this much."""
    connection.sendall(WORD)
    heard = b""
    while len(heard) < len(WORD) and (data := connection.recv(1024)):
        heard += data
    return heard


def test_it_passes_everything_slowly_in_slices_or_at_once(proxy):
    with connect(proxy) as connection:
        heard = []
        for fault in (PASS, latency(0.05), slices(0.01, slice_bytes=5)):
            proxy.become(fault)
            heard.append(echo(connection))

    assert heard == [WORD] * 3


def test_latency_is_added_each_way(proxy):
    proxy.become(latency(0.1))

    with connect(proxy) as connection:
        began = time.monotonic()
        echo(connection)

    assert time.monotonic() - began >= 0.2


def test_a_stalled_one_accepts_and_is_silent_and_then_carries_what_it_held(proxy):
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


def test_half_of_an_answer_is_all_that_comes(proxy):
    proxy.become(HALF)

    with connect(proxy) as connection:
        assert echo(connection) == WORD[:8]
        assert connection.recv(1024) == b""
