"""Responses on the wire: large ones, bad headers and HEAD."""

import http.client
from urllib.parse import urlsplit

import pytest

from tests.support.raw_http import open_connection

pytestmark = pytest.mark.process

HUGE_BYTES = 16_000_000


@pytest.fixture
def ask(odd):
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(odd.url).port, timeout=20)

    def get(path, method="GET"):
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    yield get
    connection.close()


def begin(server):
    """Ask for the large response over a connection of its own, and read nothing yet."""
    connection = open_connection(server.url)
    connection.sendall(b"GET /huge HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
    return connection


@pytest.mark.security("Hostile connections")
def test_a_client_that_stops_reading_delays_no_other_client(odd, ask):
    deaf = [begin(odd) for _ in range(10)]

    assert (len(ask("/huge")[2]), ask("/healthz")[0]) == (HUGE_BYTES, 200)
    for connection in deaf:
        connection.close()


def test_a_line_break_in_a_header_begins_no_other_header(ask):
    status, headers, body = ask("/with-a-line-end")

    assert status == 500
    assert "Set-Cookie" not in headers
    assert b"never sent" not in body


def test_a_response_to_head_has_no_body(ask):
    status, headers, body = ask("/healthz", "HEAD")

    assert (status, int(headers["Content-Length"]) > 0, body) == (200, True, b"")
    assert ask("/healthz")[0] == 200
