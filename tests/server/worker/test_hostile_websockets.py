"""Invalid websocket frames and packets close the connection that sends them."""

import os
import socket
import struct
from contextlib import ExitStack

import pytest

from tests.harness.sockets import ADDRESS, Socket
from tests.support.raw_http import open_connection, read_until, read_until_closed

pytestmark = pytest.mark.process

KIB = 1024
CONTINUATION, TEXT, BINARY, CLOSE, PING, RESERVED = 0, 1, 2, 8, 9, 11
FIN, RESERVED_BIT, MASKED = 0x80, 0x40, 0x80
TOO_BIG, PROTOCOL_ERROR, NOT_TEXT = 1009, 1002, 1007


def frame(kind, payload=b"", *, fin=True, flags=0, masked=True, announced=None):
    """A frame as it travels; ``announced`` is the length it claims to have."""
    length = len(payload) if announced is None else announced
    mask = os.urandom(4)
    head = bytes([kind | (FIN if fin else 0) | flags])
    marker = MASKED if masked else 0
    if length < 126:
        head += bytes([marker | length])
    elif length < 65_536:
        head += bytes([marker | 126]) + struct.pack("!H", length)
    else:
        head += bytes([marker | 127]) + struct.pack("!Q", length)
    if not masked:
        return head + payload
    return head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))


def upgrade(url, *, path=ADDRESS, until=b'"pingTimeout"', source=None) -> socket.socket:
    """A websocket without a library between it and the test, its handshake done."""
    connection = open_connection(url, source=source)
    connection.sendall(
        f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    read_until(connection, until)
    return connection


def closing_code(received):
    """The code of the closing frame with which all that came ends."""
    return struct.unpack("!H", received[-2:])[0]


HOSTILE = {
    "a frame of 1 GiB": ([frame(TEXT, announced=KIB**3)], TOO_BIG),
    "a frame of 2^63 bytes": ([frame(TEXT, announced=2**63 - 1)], TOO_BIG),
    "a message over 64 KiB": ([frame(TEXT, b"4" + b"a" * 64 * KIB)], TOO_BIG),
    "a message over 64 KiB in pieces": (
        [frame(TEXT, b"4" * KIB, fin=False), *[frame(CONTINUATION, b"a" * 32 * KIB, fin=False)] * 2],
        TOO_BIG,
    ),
    "a message in countless pieces": (
        [frame(TEXT, b"4", fin=False), *[frame(CONTINUATION, b"", fin=False)] * 100],
        TOO_BIG,
    ),
    "a message within a message": ([frame(TEXT, b"4", fin=False), frame(TEXT, b"4")], PROTOCOL_ERROR),
    "the end of no message": ([frame(CONTINUATION, b"4")], PROTOCOL_ERROR),
    "a frame without a mask": ([frame(TEXT, b"3", masked=False)], PROTOCOL_ERROR),
    "a frame of a reserved kind": ([frame(RESERVED)], PROTOCOL_ERROR),
    "a frame with a reserved bit": ([frame(TEXT, b"3", flags=RESERVED_BIT)], PROTOCOL_ERROR),
    "a ping of 200 bytes": ([frame(PING, b"a" * 200)], PROTOCOL_ERROR),
    "a ping in pieces": ([frame(PING, fin=False)], PROTOCOL_ERROR),
    "a text that is none": ([frame(TEXT, b"4\xff\xfe")], NOT_TEXT),
}


@pytest.mark.guarantee("Bad websocket frames")
@pytest.mark.security("Hostile connections")
def test_a_frame_that_violates_the_protocol_closes_its_connection(production):
    codes = {}
    with ExitStack() as stack:
        # All at once: the server waits a moment for the answer to each closing frame.
        connections = {name: stack.enter_context(upgrade(production.url)) for name in HOSTILE}
        for name, (frames, _) in HOSTILE.items():
            connections[name].sendall(b"".join(frames))
        for name, connection in connections.items():
            codes[name] = closing_code(read_until_closed(connection))

    assert codes == {name: code for name, (_, code) in HOSTILE.items()}


FOREIGN = {
    "a binary event that waits for its attachment": '451-["upgrader:spin",{"_placeholder":true,"num":0}]',
    "a binary acknowledgement": '461-1[{"_placeholder":true,"num":0}]',
    "JSON that can't be read": "42[",
    "JSON nested without end": "42" + "[" * 60_000,
    "an event without a name": "42[]",
    "an event that is no list": '42{"amount":1}',
    "a packet of no kind": "49",
    "a number without end": "42" + "1" * 200 + "[]",
}


@pytest.mark.guarantee("Bad websocket frames")
def test_an_unknown_packet_closes_its_connection_and_no_other(production):
    bystander = Socket(production.url)
    for name, packet in FOREIGN.items():
        foreign = Socket(production.url)

        foreign.transport.send(packet)

        assert foreign.transport.closed(), name
        foreign.close()
    assert bystander.spin({"amount": 1, "item": "any"}) == {"status": False, "error": "Unauthorized"}
    bystander.close()


@pytest.mark.thorough
def test_a_message_may_come_in_several_frames(production):
    join = b"40"
    with upgrade(production.url) as connection:
        connection.sendall(frame(TEXT, join[:1], fin=False))
        connection.sendall(frame(PING, b"are you there") + frame(CONTINUATION, join[1:]))

        received = read_until(connection, b"live-bets")

    assert b"are you there" in received
    assert b'40{"sid"' in received


@pytest.mark.thorough
def test_a_client_that_never_answers_the_closing_frame_is_disconnected(production):
    with upgrade(production.url) as connection:
        connection.sendall(frame(CLOSE, struct.pack("!H", 1000)))

        received = read_until_closed(connection)

    assert closing_code(received) == 1000
