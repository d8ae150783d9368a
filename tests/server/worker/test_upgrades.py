"""Websocket handshakes: an invalid one is an HTTP error, never 101."""

import json

import pytest
import requests

from tests.support.raw_http import open_connection, read_until_closed, statuses

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
    "another path": (handshake("/irl"), 400),
    "a path that is nowhere": (handshake("/nothing-here"), 400),
    "a path below": (handshake("/socket.io/other?EIO=4&transport=websocket"), 400),
    "a foreign origin": (handshake(Origin="https://evil.example.com"), 403),
    "an origin that only begins like ours": (handshake(Origin="http://127.0.0.1:5000.example.com"), 403),
    "no origin by name": (handshake(Origin="null"), 403),
    "POST": (handshake(method="POST"), 400),
    "HEAD": (handshake(method="HEAD"), 400),
    "HTTP/1.0": (handshake(version="HTTP/1.0"), 400),
    "no Connection": (handshake(without=["Connection"]), 400),
    "another Connection": (handshake(Connection="keep-alive"), 400),
    "no version": (handshake(without=["Sec-WebSocket-Version"]), 426),
    "an old version": (handshake(Sec_WebSocket_Version="8"), 426),
    "a version that is none": (handshake(Sec_WebSocket_Version="thirteen"), 426),
    "no key": (handshake(without=["Sec-WebSocket-Key"]), 400),
    "an empty key": (handshake(Sec_WebSocket_Key=""), 400),
    "a key that is no Base64": (handshake(Sec_WebSocket_Key="a"), 400),
    "a key with other characters": (handshake(Sec_WebSocket_Key="!" * 22 + "=="), 400),
    "a key of 15 bytes": (handshake(Sec_WebSocket_Key="A" * 20), 400),
    "a key that is not ASCII": (handshake(Sec_WebSocket_Key="é" * 11 + "=="), 400),
    "two keys": (handshake(Sec_WebSocket_Key=f"{KEY}\r\nSec-WebSocket-Key: {KEY}"), 400),
    "no transport": (handshake("/socket.io/?EIO=4"), 400),
    "polling": (handshake("/socket.io/?EIO=4&transport=polling"), 400),
    "a transport that is none": (handshake("/socket.io/?EIO=4&transport=pigeon"), 400),
    "no protocol version": (handshake("/socket.io/?transport=websocket"), 400),
    "an old protocol version": (handshake("/socket.io/?EIO=3&transport=websocket"), 400),
    "a session that is none": (handshake(f"{SOCKETS}&sid=none"), 400),
}


@pytest.mark.security("Hostile connections")
@pytest.mark.security("Other pages in the browser")
def test_nothing_is_read_after_a_bad_handshake(production):
    answers = {name: statuses(production.url, request + NEXT) for name, (request, _) in REFUSED.items()}

    assert answers == {name: [status] for name, (_, status) in REFUSED.items()}


@pytest.mark.parametrize("origin", ["http://127.0.0.1:5000", None])
def test_a_good_handshake_is_accepted(production, origin):
    with open_connection(production.url) as connection:
        connection.sendall(handshake(Origin=origin) if origin else handshake())
        answer = connection.recv(4096)

    assert answer.startswith(b"HTTP/1.1 101 ")
    assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in answer


def begin_polling(url):
    opened = requests.get(f"{url}/socket.io/?EIO=4&transport=polling", timeout=20)
    return json.loads(opened.text[1:])["sid"]


def test_a_session_with_a_websocket_cannot_be_upgraded_again(production):
    session = handshake(f"{SOCKETS}&sid={begin_polling(production.url)}")
    with open_connection(production.url) as connection:
        connection.sendall(session)
        assert connection.recv(100).startswith(b"HTTP/1.1 101 ")

        assert statuses(production.url, session + NEXT) == [400]


def test_a_refused_handshake_answers_with_the_reason(production):
    with open_connection(production.url) as connection:
        connection.sendall(handshake(Sec_WebSocket_Version="8"))
        answer = read_until_closed(connection)

    assert b"\r\nSec-WebSocket-Version: 13\r\n" in answer
    assert answer.endswith(b"\r\n\r\nUse version 13")
