"""Calls to other people's servers: whatever these do, a call ends in time and within its bytes."""

import gzip
import threading

import pytest
import requests

from services.web import TooLarge, bounded
from tests.support.raw_server import dribbling, raw_server, saying

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


def test_a_call_leaves_no_thread_behind(session):
    with raw_server(GOOD["a length"][0]) as url:
        before = threading.active_count()
        for _ in range(5):
            session.get(url)

        assert threading.active_count() <= before + 1
