"""Writes several packets to a websocket at once, encoded only once for all sockets."""

from collections.abc import Iterator, Sequence

from engineio.packet import MESSAGE, Packet
from geventwebsocket.websocket import Header, WebSocket


class Frames(bytes):
    """Complete websocket frames, written without further encoding."""


class Batch:
    """Several Engine.IO packets that are one entry of a transport's queue.

    It has the attributes of a packet that the library uses.
    """

    packet_type = MESSAGE
    data = None

    def __init__(self, packets: Sequence[Packet]) -> None:
        self._packets = packets
        self._frames = Frames(b"".join(map(_frame, packets)))

    def __iter__(self) -> Iterator[Packet]:
        return iter(self._packets)

    def encode(self) -> Frames:
        """The packets as the frames that a websocket sends."""
        return self._frames


def _frame(packet: Packet) -> bytes:
    text: bytes = packet.encode().encode()
    return bytes(Header.encode_header(True, WebSocket.OPCODE_TEXT, b"", len(text), 0)) + text
