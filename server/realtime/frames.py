"""Writes several packets to a websocket at once, and encodes a broadcast only once."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from engineio.packet import MESSAGE, Packet
from geventwebsocket.websocket import Header, WebSocket


class Frames(bytes):
    """Complete websocket frames, written without further encoding."""


class Batch:
    """Several Engine.IO packets, or other batches, that a transport's queue holds as one.

    Has what the library uses of a packet.
    """

    packet_type = MESSAGE
    data = None

    def __init__(self, packets: "Sequence[Packet | Batch]") -> None:
        self._packets = packets

    def __iter__(self) -> Iterator[Packet]:
        return iter(self._packets)

    def encode(self) -> Frames:
        """The packets as the frames that a websocket sends."""
        return self._frames

    @cached_property
    def _frames(self) -> Frames:
        return Frames(b"".join(map(_frames, self._packets)))


def _frames(packet: Packet | Batch) -> bytes:
    if isinstance(packet, Batch):
        return packet.encode()
    text: bytes = packet.encode().encode()
    return bytes(Header.encode_header(True, WebSocket.OPCODE_TEXT, b"", len(text), 0)) + text
