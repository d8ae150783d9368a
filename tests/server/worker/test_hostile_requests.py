"""Ambiguous or oversized requests are refused, and their connections closed."""

from collections import deque
from itertools import repeat

import pytest
import requests

from tests.harness.waiting import wait_until
from tests.support.raw_http import open_connection, read_until_closed, statuses

pytestmark = pytest.mark.process

GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\n"
POST = b"POST /auth/me HTTP/1.1\r\nHost: a\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

REFUSED = {
    "a length and a coding": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a coding and a length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "the same length twice": POST + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
    "two lengths in one field": POST + b"Content-Length: 1, 1\r\n\r\na",
    "a length with a sign": POST + b"Content-Length: +1\r\n\r\na",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n",
    "a length with an underscore": POST + b"Content-Length: 1_0\r\n\r\n0123456789",
    "a length in hexadecimals": POST + b"Content-Length: 0x1\r\n\r\na",
    "an empty length": POST + b"Content-Length:\r\n\r\n",
    "a coding nobody knows": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "two codings": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a coding twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a coding after a tab": POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    "a coding in HTTP/1.0": b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a blank before the colon": GET + b"Content-Length : 4\r\n\r\nabcd",
    "a folded field": GET + b"X-Folded: a\r\n b\r\n\r\n",
    "a field without a colon": GET + b"nonsense\r\n\r\n",
    "a field without a name": GET + b": nonsense\r\n\r\n",
    "a NUL in a field": GET + b"X-Null: a\x00b\r\n\r\n",
    "a lone line feed": GET + b"X-Feed: a\n\r\n",
    "a lone carriage return": GET + b"X-Return: a\rb\r\n\r\n",
    "two hosts": GET + b"Host: b\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "no host in the absolute form": b"GET http://a/healthz HTTP/1.1\r\n\r\n",
    "an empty host": b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
    "a host with a path": b"GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "a host with a user": b"GET /healthz HTTP/1.1\r\nHost: b@a\r\n\r\n",
    "two hosts in one field": b"GET /healthz HTTP/1.1\r\nHost: a, b\r\n\r\n",
    "a target of another scheme": b"GET ftp://a/healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "a target with a user": b"GET http://b@a/healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "a target without a slash": b"GET healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "a target with a fragment": b"GET /healthz#a HTTP/1.1\r\nHost: a\r\n\r\n",
    "a tunnel": b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    "HTTP/0.9": b"GET /healthz\r\n\r\n",
    "HTTP/2.0": b"GET /healthz HTTP/2.0\r\n\r\n",
    "two blanks in the request line": b"GET  /healthz HTTP/1.1\r\n\r\n",
    "no request line at all": b"\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a body with an upgrade": GET
    + b"Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 4\r\n\r\nabcd",
}
TOO_LARGE = {
    "a header of 20 kB": (GET + b"X-Long: " + b"a" * 20_000 + b"\r\n\r\n", 431),
    "20 kB of headers": (GET + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 400) for n in range(50)) + b"\r\n", 431),
    "101 headers": (GET + b"".join(b"X-%d: a\r\n" % n for n in range(101)) + b"\r\n", 431),
    "an address of 9 kB": (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\n\r\n", 414),
}


@pytest.mark.security("Hostile connections")
def test_nothing_is_read_after_an_ambiguous_request(production):
    requests = {name: (request, 400) for name, request in REFUSED.items()} | TOO_LARGE

    answers = {name: statuses(production.url, request + NEXT) for name, (request, _) in requests.items()}

    assert answers == {name: [status] for name, (_, status) in requests.items()}


OTHER_PROTOCOLS = [
    b"PROXY TCP4 192.0.2.1 192.0.2.2 50000 443\r\n" + NEXT,
    b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + bytes(12) + NEXT,
    # A handshake of TLS may have no end of a line.
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]


def test_other_protocols_are_refused_at_once_and_each_is_a_line_in_the_log(loud):
    assert [statuses(loud.url, beginning) for beginning in OTHER_PROTOCOLS] == [[400]] * 4

    causes = ("PROXY protocol", "TLS", "HTTP/2")
    # A repeated line is written once in ten seconds.
    wait_until(lambda: [loud.log.read_text().count(cause) for cause in causes] == [1, 1, 1])


def test_an_unambiguous_request_is_followed_by_the_next_one(production):
    answered = statuses(production.url, GET + b"\r\n" + POST + b"Content-Length: 2\r\n\r\n{}" + NEXT)

    assert answered == [200, 405, 200]


@pytest.mark.thorough
def test_the_absolute_form_of_a_target_is_served(production):
    for target in (b"http://a/healthz", b"HTTPS://[::1]:443/healthz?a=b", b"/healthz?http://a/", b"http://a"):
        answered = statuses(production.url, b"GET " + target + b" HTTP/1.1\r\nHost: b\r\n\r\n" + NEXT)

        assert answered == [200, 200], target


@pytest.mark.thorough
def test_an_upgrade_to_another_protocol_is_ignored(production):
    for upgrade in (b"", b"Connection: upgrade\r\nUpgrade: h2c\r\n"):
        body = upgrade + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"

        assert statuses(production.url, POST + body + NEXT) == [405, 200]


@pytest.mark.security("Other pages in the browser")
def test_a_redirect_does_not_contain_the_host(production):
    for path, location in (("/docs", "/docs/"), ("//auth//me", None)):
        headers = {"Host": "evil.example.com"}
        answer = requests.get(production.url + path, headers=headers, allow_redirects=False, timeout=20)

        assert answer.headers.get("Location") == location
        assert "evil.example.com" not in answer.text


LIMIT = 64 * 1024
UNREAD = [
    b"GET /auth/me",
    b"GET /healthz",
    b"POST /healthz",
    b"GET /nothing",
    b"GET /docs",
    b"GET /socket.io/",
]


@pytest.mark.security("Hostile connections")
def test_endpoints_without_a_body_refuse_too_large_ones(production):
    """Up to the limit it changes nothing."""

    def bodies(size):
        content = b"a" * size
        yield b"Content-Length: %d\r\n\r\n" % size + content
        yield b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % size + content + b"\r\n0\r\n\r\n"

    for line in UNREAD:
        head = line + b" HTTP/1.1\r\nHost: a\r\n"
        for largest, larger in zip(bodies(LIMIT), bodies(LIMIT + 1), strict=True):
            assert statuses(production.url, head + largest + NEXT)[0] != 413, line
            assert statuses(production.url, head + larger + NEXT)[0] == 413, line


@pytest.mark.thorough
def test_an_unread_body_over_that_limit_closes_the_connection(production):
    endless = POST + b"Content-Length: 100000000000\r\n\r\n"

    with open_connection(production.url) as connection:
        connection.sendall(endless)
        megabytes = repeat(b"a" * 1_000_000, 1_000)
        with pytest.raises(ConnectionError):
            deque(map(connection.sendall, megabytes), maxlen=0)


def test_a_response_does_not_name_the_software(production):
    with open_connection(production.url) as connection:
        connection.sendall(NEXT)
        answer = read_until_closed(connection).lower()

    assert b"200 ok" in answer
    assert b"gunicorn" not in answer
    assert b"gevent" not in answer
