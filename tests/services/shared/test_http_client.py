"""Calls to other servers are bounded in time and size, whatever the server sends."""

import gzip
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
import requests
from urllib3 import PoolManager

from services.shared.http_client import ResponseTooLarge, bounded
from tests.harness.servers import ROOT
from tests.support.raw_server import dribbling, raw_server, saying

LONG_SECONDS = 30
"""A limit that no call reaches."""

SECONDS = 0.4
"""A limit that slow calls reach."""

MAX_BYTES = 100_000


def get(url, *, seconds=LONG_SECONDS, **options):
    with bounded(requests.Session(), seconds=seconds, max_bytes=MAX_BYTES, **options) as session:
        return session.get(url)


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
    "as much as is allowed": (answer(b"x" * MAX_BYTES), b"x" * MAX_BYTES),
}


def test_a_response_is_read_completely():
    for kind, (speak, body) in GOOD.items():
        with raw_server(speak) as url:
            response = get(url)

        assert (response.status_code, response.content) == (200, body), kind


def test_a_connection_is_not_used_again_after_a_call_that_was_aborted():
    connections, accepted = PoolManager(), []
    dribble = dribbling(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x")

    with raw_server(lambda say, ended: accepted.append(url) or dribble(say, ended)) as url:
        for _ in range(2):
            with pytest.raises(requests.Timeout):
                get(url, seconds=SECONDS, connections=connections)

    assert len(accepted) == 2


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
    "many slow redirects": lambda say, ended: (
        ended.wait(0.75 * SECONDS)
        or say(b"HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: /\r\n\r\n")
    ),
    "a handshake in bytes": dribbling(b"\x16\x03\x03\x40\x00\x02", b"\x00"),
}


@pytest.fixture
def slow_urls():
    """The address of a server of each kind."""
    with ExitStack() as stack:
        urls = {kind: stack.enter_context(raw_server(speak)) for kind, speak in SLOW.items()}
        urls["a handshake in bytes"] = urls["a handshake in bytes"].replace("http:", "https:")
        yield urls


def outcome(url):
    try:
        return get(url, seconds=SECONDS, redirects=30).status_code
    except requests.Timeout:
        return "Timeout"


@pytest.mark.security("Price sources and providers")
def test_a_slow_call_is_aborted(slow_urls):
    with ThreadPoolExecutor(len(slow_urls)) as together:
        outcomes = dict(zip(slow_urls, together.map(outcome, slow_urls.values()), strict=True))

    assert outcomes == dict.fromkeys(SLOW, "Timeout")


@pytest.mark.thorough
@pytest.mark.process
def test_a_slow_call_is_aborted_on_greenlets(slow_urls):
    urls = [*slow_urls.values(), "http://slow.invalid/"]
    command = [sys.executable, "-m", "tests.support.patched_call", str(SECONDS), *urls]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

    outcomes = dict(zip([*SLOW, "a name lookup"], ended.stdout.splitlines(), strict=True))
    assert outcomes == dict.fromkeys(outcomes, "Timeout")
    assert ended.stderr == ""


LARGE = {
    "a length": answer(b"x" * (MAX_BYTES + 1)),
    "chunks": chunked(b"x" * (MAX_BYTES + 1)),
    "compressed": gzipped(b"x" * 5_000_000),
    "until it hangs up": saying(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (MAX_BYTES + 1)),
}


@pytest.mark.security("Price sources and providers")
def test_a_response_that_is_too_large_is_aborted():
    for speak in LARGE.values():
        with raw_server(speak) as url, pytest.raises(ResponseTooLarge):
            get(url)


BROKEN = {
    "nothing": saying(b""),
    "no HTTP": saying(b"hello\r\n\r\n"),
    "less than its length": saying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
    "chunks without an end": saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
    "chunks of no length": saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\nhello\r\n"),
    "compressed and damaged": answer(b"hello", b"Content-Encoding: gzip"),
    "elsewhere": saying(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
}


def test_a_broken_response_raises_the_error_of_the_client():
    for speak in BROKEN.values():
        with raw_server(speak) as url, pytest.raises(requests.RequestException):
            get(url)
