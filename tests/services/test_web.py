"""Calls to other people's servers: whatever these do, a call ends in time and within its bytes."""

import gzip
import socketserver
import subprocess
import sys
import threading

import pytest
import requests

from services.web import TooLarge, bounded
from tests.support.raw_server import dribbling, raw_server, saying
from tests.support.servers import ROOT

SECONDS = 0.4
MOST_BYTES = 100_000


@pytest.fixture
def session():
    with requests.Session() as session:
        bounded(session, seconds=SECONDS, most_bytes=MOST_BYTES)
        yield session


def answer(body, *headers):
    lines = [b"HTTP/1.1 200 OK", *headers, b"Content-Length: %d" % len(body), b"", body]
    return saying(b"\r\n".join(lines))


def chunked(body):
    return saying(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    )


def gzipped(body):
    return answer(gzip.compress(body), b"Content-Encoding: gzip")


GOOD = {
    "nothing": (answer(b""), b""),
    "a length": (answer(b"hello"), b"hello"),
    "chunks": (chunked(b"hello"), b"hello"),
    "compressed": (gzipped(b"hello" * 1000), b"hello" * 1000),
    "until it hangs up": (saying(b"HTTP/1.1 200 OK\r\n\r\nhello"), b"hello"),
    "as much as is allowed": (answer(b"x" * MOST_BYTES), b"x" * MOST_BYTES),
}


@pytest.mark.parametrize("kind", GOOD)
def test_an_answer_is_read_whole(session, kind):
    speak, body = GOOD[kind]

    with raw_server(speak) as url:
        response = session.get(url)

    assert (response.status_code, response.content) == (200, body)


SLOW = {
    "no answer": lambda _say, ended: ended.wait(),
    "a status line in bytes": dribbling(b"HTTP/1.1 200 ", b"O"),
    "headers without end": dribbling(b"HTTP/1.1 200 OK\r\n", b"More: and more\r\n"),
    "a header in bytes": dribbling(b"HTTP/1.1 200 OK\r\nMore: ", b"x"),
    "a body in bytes": dribbling(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
    "a body without end": dribbling(b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    "chunks in bytes": dribbling(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "half a body": lambda say, ended: (
        say(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello") and ended.wait()
    ),
    "informational answers": dribbling(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("kind", SLOW)
def test_a_call_that_takes_too_long_is_given_up(session, kind):
    with raw_server(SLOW[kind]) as url, pytest.raises(requests.Timeout):
        session.get(url)


ENDLESS_HANDSHAKE = dribbling(b"\x16\x03\x03\x40\x00\x02", b"\x00")
"""The head of a TLS record of 16 KiB, and then the record in bytes."""


def test_a_handshake_that_takes_too_long_is_given_up(session):
    with raw_server(ENDLESS_HANDSHAKE) as url, pytest.raises(requests.Timeout):
        session.get(url.replace("http:", "https:"))


def test_a_handshake_that_takes_too_long_is_given_up_on_greenlets():
    with raw_server(ENDLESS_HANDSHAKE) as url:
        ended = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.support.patched_call",
                url.replace("http:", "https:"),
                str(SECONDS),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )

    assert (ended.stdout, ended.stderr) == ("Timeout\n", "")


LARGE = {
    "a length": answer(b"x" * (MOST_BYTES + 1)),
    "chunks": chunked(b"x" * (MOST_BYTES + 1)),
    "compressed": gzipped(b"x" * 50_000_000),
    "until it hangs up": saying(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (MOST_BYTES + 1)),
}


@pytest.mark.parametrize("kind", LARGE)
def test_an_answer_that_is_too_large_is_given_up(session, kind):
    with raw_server(LARGE[kind]) as url, pytest.raises(TooLarge):
        session.get(url)


BROKEN = {
    "nothing": saying(b""),
    "no HTTP": saying(b"hello\r\n\r\n"),
    "less than its length": saying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
    "chunks without an end": saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
    "chunks of no length": saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\nhello\r\n"),
    "compressed and damaged": answer(b"hello", b"Content-Encoding: gzip"),
    "elsewhere": saying(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_answer_is_an_error_of_the_call(session, kind):
    with raw_server(BROKEN[kind]) as url, pytest.raises(requests.RequestException):
        session.get(url)


def test_a_server_that_is_not_there_is_an_error_of_the_call(session):
    with raw_server(saying(b"")) as url:
        pass

    with pytest.raises(requests.ConnectionError):
        session.get(url)


def test_a_session_can_be_used_again_after_a_call_was_given_up(session):
    turns = iter([SLOW["a body in bytes"], GOOD["a length"][0]])

    def one_after_the_other(say, ended):
        next(turns)(say, ended)

    with raw_server(one_after_the_other) as url:
        with pytest.raises(requests.Timeout):
            session.get(url)

        assert session.get(url).content == b"hello"


class OnceAndThenNever(socketserver.BaseRequestHandler):
    """Answers the first question on a connection and keeps it open; is silent after the second."""

    def handle(self):
        self.request.recv(65_536)
        self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        self.server.second_questions.append(self.request.recv(65_536))
        self.request.recv(1)


def test_a_call_over_a_connection_that_was_kept_is_given_up_as_well(session):
    with socketserver.TCPServer(("127.0.0.1", 0), OnceAndThenNever) as server:
        server.second_questions = []
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        session.get(url)

        with pytest.raises(requests.Timeout):
            session.get(url)
        thread.join()

    assert [question[:5] for question in server.second_questions] == [b"GET /"]


def test_a_call_leaves_no_thread_behind(session):
    with raw_server(GOOD["a length"][0]) as url:
        before = threading.active_count()
        for _ in range(5):
            session.get(url)

        assert threading.active_count() <= before + 1
