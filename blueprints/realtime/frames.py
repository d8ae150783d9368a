"""Events for everybody, encoded once and written to each websocket in one piece."""

from collections.abc import Sequence
from functools import cached_property

from engineio.packet import MESSAGE, Packet
from geventwebsocket.websocket import Header, WebSocket


class Frames(bytes):
    """Whole websocket frames, to be written as they are."""


class Batch:
    """Several Engine.IO packets that wait in a transport's queue as one.

    Has what the library uses of a packet.
    """

    packet_type = MESSAGE
    data = None

    def __init__(self, messages: Sequence[str]) -> None:
        self.packets = [Packet(MESSAGE, message) for message in messages]

    def encode(self) -> Frames:
        """The packets as the frames that a websocket sends, encoded once for all sockets."""
        return self._frames

    @cached_property
    def _frames(self) -> Frames:
        return Frames(b"".join([_frame(packet.encode()) for packet in self.packets]))


def _frame(packet: str) -> bytes:
    text = packet.encode()
    return bytes(Header.encode_header(True, WebSocket.OPCODE_TEXT, b"", len(text), 0)) + text
