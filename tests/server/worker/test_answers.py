"""Responses on the wire, for everything that WSGI allows a program."""

import http.client
import socket
from urllib.parse import urlsplit

import pytest

from bench.harness.raw_http import open_connection, read_until_closed

pytestmark = pytest.mark.process

LONG = b"long " * 10_000
HUGE = b"".join(b"%07d " % number for number in range(200_000)) * 10


@pytest.fixture
def ask(odd):
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(odd.url).port, timeout=20)

    def get(path, method="GET"):
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    yield get
    connection.close()


def test_a_response_in_several_parts_arrives_whole(ask):
    status, headers, body = ask("/in-pieces")

    assert (status, headers["Transfer-Encoding"], body) == (200, "chunked", b"one two")


def test_a_long_response_arrives_whole_and_so_does_the_next_one(ask):
    answers = [ask("/long")[2], ask("/healthz")[0], ask("/long")[2]]

    assert answers == [LONG, 200, LONG]


def begin(server, path, *, times=1):
    """Ask over a connection of its own, and read nothing yet."""
    connection = open_connection(server.url)
    closing = b"GET %s HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n" % path
    connection.sendall(closing.replace(b"Connection: close\r\n", b"") * (times - 1) + closing)
    return connection


def test_simultaneous_large_responses_arrive_whole(odd):
    asking = [begin(odd, b"/huge") for _ in range(10)]

    for connection in asking:
        head, _, body = read_until_closed(connection).partition(b"\r\n\r\n")
        connection.close()
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert body == HUGE


def test_many_large_responses_over_few_connections_arrive_whole(odd):
    asking = [begin(odd, b"/long", times=30) for _ in range(5)]

    counts = []
    for connection in asking:
        counts.append(read_until_closed(connection).count(LONG))
        connection.close()
    assert counts == [30] * 5


def test_a_client_that_does_not_read_a_large_response_delays_no_other_client(odd, ask):
    deaf = [begin(odd, b"/huge") for _ in range(10)]

    answers = [len(ask("/huge")[2]), ask("/healthz")[0], ask("/long")[2]]

    assert answers == [len(HUGE), 200, LONG]
    for connection in deaf:
        connection.close()


@pytest.mark.parametrize("reads_first", [0, 100_000])
def test_a_client_that_disconnects_from_a_large_response_delays_no_other_client(odd, ask, reads_first):
    going = [begin(odd, b"/huge") for _ in range(10)]

    for connection in going:
        connection.recv(reads_first, socket.MSG_WAITALL)
        connection.close()

    assert [len(ask("/huge")[2]), ask("/long")[2]] == [len(HUGE), LONG]


def test_a_line_break_in_a_response_header_does_not_begin_another_header(ask):
    status, headers, body = ask("/with-a-line-end")

    assert status == 500
    assert "Set-Cookie" not in headers
    assert b"never sent" not in body


def test_a_response_without_a_body_has_none(ask):
    assert ask("/none-that-has-one")[0] == 500


def test_a_response_to_head_has_no_body(ask):
    status, headers, body = ask("/healthz", "HEAD")

    assert (status, int(headers["Content-Length"]) > 0, body) == (200, True, b"")
    assert ask("/healthz")[0] == 200


@pytest.mark.parametrize(("asked", "told"), [(b"", b"close"), (b"Connection: keep-alive\r\n", b"keep-alive")])
def test_a_response_to_http_1_0_has_a_connection_header(odd, asked, told):
    with open_connection(odd.url) as connection:
        connection.sendall(b"GET /healthz HTTP/1.0\r\n" + asked + b"\r\n")
        answer = read_until_closed(connection) if told == b"close" else connection.recv(65_536)

    assert b"\r\nConnection: " + told + b"\r\n" in answer
