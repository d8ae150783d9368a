"""Websocket handshakes: an invalid one is an HTTP error, never 101."""

import pytest

from tests.support.raw_http import open_connection, statuses

pytestmark = pytest.mark.process

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
SOCKETS = "/socket.io/?EIO=4&transport=websocket"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def handshake(target=SOCKETS, *, method="GET", version="HTTP/1.1", without=(), **changes):
    """A handshake; ``changes`` are header fields with underscores for hyphens."""
    fields = {
        "Host": "a",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": KEY,
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    lines = [f"{name}: {value}" for name, value in fields.items() if name not in without]
    return "\r\n".join([f"{method} {target} {version}", *lines, "", ""]).encode()


REFUSED = {
    "another path": handshake("/irl"),
    "a path that is nowhere": handshake("/nothing-here"),
    "a path below": handshake("/socket.io/other?EIO=4&transport=websocket"),
    "POST": handshake(method="POST"),
    "HEAD": handshake(method="HEAD"),
    "HTTP/1.0": handshake(version="HTTP/1.0"),
    "no Connection": handshake(without=["Connection"]),
    "another Connection": handshake(Connection="keep-alive"),
    "no key": handshake(without=["Sec-WebSocket-Key"]),
    "an empty key": handshake(Sec_WebSocket_Key=""),
    "a key that is no Base64": handshake(Sec_WebSocket_Key="a"),
    "a key with other characters": handshake(Sec_WebSocket_Key="!" * 22 + "=="),
    "a key of 15 bytes": handshake(Sec_WebSocket_Key="A" * 20),
    "a key that is not ASCII": handshake(Sec_WebSocket_Key="é" * 11 + "=="),
    "two keys": handshake(Sec_WebSocket_Key=f"{KEY}\r\nSec-WebSocket-Key: {KEY}"),
    "no transport": handshake("/socket.io/?EIO=4"),
    "polling": handshake("/socket.io/?EIO=4&transport=polling"),
    "a transport that is none": handshake("/socket.io/?EIO=4&transport=pigeon"),
    "no protocol version": handshake("/socket.io/?transport=websocket"),
    "an old protocol version": handshake("/socket.io/?EIO=3&transport=websocket"),
    "a session that is none": handshake(f"{SOCKETS}&sid=none"),
}
REFUSED_OTHERWISE = {
    "a foreign origin": (handshake(Origin="https://evil.example.com"), 403),
    "an origin that only begins like ours": (handshake(Origin="http://127.0.0.1:5000.example.com"), 403),
    "no origin by name": (handshake(Origin="null"), 403),
    "no version": (handshake(without=["Sec-WebSocket-Version"]), 426),
    "an old version": (handshake(Sec_WebSocket_Version="8"), 426),
    "a version that is none": (handshake(Sec_WebSocket_Version="thirteen"), 426),
}


@pytest.mark.security("Hostile connections")
@pytest.mark.security("Other pages in the browser")
def test_nothing_is_read_after_a_bad_handshake(production):
    requests = {name: (request, 400) for name, request in REFUSED.items()} | REFUSED_OTHERWISE

    answers = {name: statuses(production.url, request + NEXT) for name, (request, _) in requests.items()}

    assert answers == {name: [status] for name, (_, status) in requests.items()}


def test_a_good_handshake_is_accepted(production):
    for request in (handshake(), handshake(Origin="http://127.0.0.1:5000")):
        with open_connection(production.url) as connection:
            connection.sendall(request)
            answer = connection.recv(4096)

        assert answer.startswith(b"HTTP/1.1 101 ")
        assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in answer
