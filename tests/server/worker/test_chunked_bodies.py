"""Chunked bodies: read correctly with any boundaries of packets, and refused when malformed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.raw_http import open_connection, read_until_closed, statuses

pytestmark = pytest.mark.process

POST = b"POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
END = b"0\r\n\r\n"

MALFORMED = {
    "no size": b"\r\n" + END,
    "a size that is none": b"zz\r\n" + END,
    "a size with a sign": b"+2\r\n{}\r\n" + END,
    "a negative size": b"-2\r\n{}\r\n" + END,
    "a size with a prefix": b"0x2\r\n{}\r\n" + END,
    "a size with an underscore": b"0_2\r\n{}\r\n" + END,
    "a size after a blank": b" 2\r\n{}\r\n" + END,
    "a size before a blank": b"2 \r\n{}\r\n" + END,
    "a size before a tab": b"2\t\r\n{}\r\n" + END,
    "a size of digits that are not ASCII": b"\xef\xbc\x92\r\n{}\r\n" + END,
    "nine digits": b"000000002\r\n{}\r\n" + END,
    "countless digits": b"0" * 5_000 + b"2\r\n{}\r\n" + END,
    "a size that ends with LF": b"2\n{}\r\n" + END,
    "a size that ends with CR": b"2\r{}\r\n" + END,
    "LF in an extension": b"2;a\nb\r\n{}\r\n" + END,
    "LF and a size in an extension": b"2;\n0\r\n\r\n" + HIDDEN,
    "CR in an extension": b"2;a\rb\r\n{}\r\n" + END,
    "NUL in an extension": b"2;a=\x00\r\n{}\r\n" + END,
    "an extension without a name": b"2;\r\n{}\r\n" + END,
    "an extension with a value but no name": b"2;=a\r\n{}\r\n" + END,
    "an extension without its value": b"2;a=\r\n{}\r\n" + END,
    "an extension with an open quote": b'2;a="b\r\n{}\r\n' + END,
    "CRLF in a quote": b'2;a="\r\n{}\r\n' + END,
    "an extension without a semicolon": b"2 a=b\r\n{}\r\n" + END,
    "an extension of 2 kB": b"2;a=" + b"b" * 2_000 + b"\r\n{}\r\n" + END,
    "2 kB of extensions": b"1;a=%s\r\n{\r\n" % (b"b" * 100) * 20 + END,
    "data that is too long": b"2\r\n{}}\r\n" + END,
    "data that is too short": b"3\r\n{}\r\n" + END,
    "data that ends with LF": b"2\r\n{}\n" + END,
    "data that ends with CR": b"2\r\n{}\r" + END,
    "data without an end": b"2\r\n{}" + END,
    "a last size that ends with LF": b"2\r\n{}\r\n0\n\n",
    "trailers that end with LF": b"2\r\n{}\r\n0\r\n\n",
    "LF in a trailer": b"2\r\n{}\r\n0\r\nX-A: b\nX-C: d\r\n\r\n",
    "a trailer that ends with LF": b"2\r\n{}\r\n0\r\nX-A: b\n\r\n",
    "a request in a trailer": b"2\r\n{}\r\n0\r\nX-A: b\n\n" + HIDDEN,
    "CR in a trailer": b"2\r\n{}\r\n0\r\nX-A: b\rc\r\n\r\n",
    "NUL in a trailer": b"2\r\n{}\r\n0\r\nX-A: \x00\r\n\r\n",
    "a trailer without a colon": b"2\r\n{}\r\n0\r\nnonsense\r\n\r\n",
    "a trailer without a name": b"2\r\n{}\r\n0\r\n: nonsense\r\n\r\n",
    "a blank before a trailer's colon": b"2\r\n{}\r\n0\r\nX-A : b\r\n\r\n",
    "a folded trailer": b"2\r\n{}\r\n0\r\nX-A: b\r\n c\r\n\r\n",
    "a trailer that is framing": b"2\r\n{}\r\n0\r\nContent-Length: 2\r\n\r\n",
    "a trailer that is a coding": b"2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
    "a trailer of 5 kB": b"2\r\n{}\r\n0\r\nX-A: " + b"b" * 5_000 + b"\r\n\r\n",
    "countless trailers": b"2\r\n{}\r\n0\r\n" + b"X-A: b\r\n" * 100 + b"\r\n",
}


PATHS = [b"/affiliate/use-code", b"/auth/me", b"/socket.io/", b"/socket.io/below", b"/nothing-here"]


@pytest.mark.security("Hostile connections")
def test_nothing_is_read_after_a_malformed_body(production):
    answers = {
        (path, name): statuses(production.url, POST % path + body + NEXT)
        for path in PATHS
        for name, body in MALFORMED.items()
    }

    assert {case: answered for case, answered in answers.items() if answered != [400]} == {}


@pytest.mark.thorough
def test_no_request_follows_a_malformed_body_left_unread(odd):
    answers = {
        name: statuses(odd.url, POST % b"/in-pieces" + body + NEXT) for name, body in MALFORMED.items()
    }

    assert {case: answered for case, answered in answers.items() if answered != [200]} == {}


token = st.from_regex(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,10}", fullmatch=True)
quoted = st.from_regex(r'"([a-z ;\t]|\\")*"', fullmatch=True).filter(lambda text: len(text) < 20)
pair = st.tuples(token, token | quoted).map("=".join)
extension = (token | pair).map(lambda text: f";{text}".encode())
chunk = st.tuples(st.binary(min_size=1, max_size=300), st.integers(0, 4), st.just(b"") | extension)
trailers = st.lists(token.map(lambda name: f"X-{name}: value\r\n".encode()), max_size=5)


@settings(max_examples=10)
@given(chunks=st.lists(chunk, max_size=12), trailers=trailers, upper=st.booleans())
def test_a_body_is_read_the_same_in_any_valid_chunks(odd, chunks, trailers, upper):
    pieces = []
    for data, zeros, extras in chunks:
        size = (b"%X" if upper else b"%x") % len(data)
        pieces.append(b"0" * zeros + size + extras + b"\r\n" + data + b"\r\n")
    body = b"".join([*pieces, b"0\r\n", *trailers, b"\r\n"])

    with open_connection(odd.url) as connection:
        connection.sendall(POST % b"/echo" + body + NEXT)
        received = read_until_closed(connection)

    sent = b"".join(data for data, _, _ in chunks)
    assert received.count(b"HTTP/1.1 200") == 2
    assert received.partition(b"\r\n\r\n")[2].startswith(b"<%s>HTTP/1.1" % sent.hex().encode())


@pytest.mark.thorough
def test_the_client_is_told_to_continue_before_its_body(odd):
    head = POST.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n") % b"/echo"
    with open_connection(odd.url) as connection:
        connection.sendall(head)
        told = connection.recv(100)
        connection.sendall(b"2\r\n{}\r\n" + END + NEXT)
        answered = read_until_closed(connection)

    assert told == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert b"<%s>" % b"{}".hex().encode() in answered
