"""A player's slow query, broken frame or flood does not delay other players."""

import socket
import threading
import urllib.request
from contextlib import contextmanager, suppress

import pytest

from tests.harness.servers import gunicorn
from tests.support.markers import postgresql_only
from tests.support.raw_http import open_connection

pytestmark = pytest.mark.process


@postgresql_only
def test_a_slow_query_does_not_delay_another_request(app, env, warm_start, tmp_path):
    with warm_start.server_process(
        gunicorn("tests.support.changed_apps:slow_query()"), env, tmp_path
    ) as server:
        order = []

        def ask(path):
            urllib.request.urlopen(server.url + path, timeout=20).close()
            order.append(path)

        slow = threading.Thread(target=ask, args=["/slow-query"])
        slow.start()
        # Answers once the slow query is under way, as the database itself sees it.
        ask("/while-the-query-sleeps")
        slow.join()

    assert order == ["/while-the-query-sleeps", "/slow-query"]


@contextmanager
def hurrying(connection, data):
    """Send this over and over without waiting for any answer, as long as the block takes."""
    ended = threading.Event()

    def listen():
        with suppress(OSError):
            while connection.recv(1_000_000):
                pass

    def send_on():
        while not ended.is_set():
            connection.sendall(data * 100)
        connection.shutdown(socket.SHUT_RDWR)

    threads = [threading.Thread(target=listen), threading.Thread(target=send_on)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def ask_some_times(server):
    return [urllib.request.urlopen(f"{server.url}/healthz", timeout=20).status for _ in range(5)]


@pytest.mark.thorough
@pytest.mark.security("Hostile connections")
def test_a_pipelining_client_delays_no_other_client(production):
    request = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"

    with open_connection(production.url) as hasty, hurrying(hasty, request):
        statuses = ask_some_times(production)

    assert statuses == [200] * 5
