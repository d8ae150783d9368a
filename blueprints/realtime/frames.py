"""Packets as they go over a websocket: several in one write, which costs about as much as one."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from engineio.packet import MESSAGE, Packet
from geventwebsocket.websocket import Header, WebSocket

MOST_IN_A_BUNDLE = 50


class Frames(bytes):
    """Whole frames, to be written as they are."""


class Bundle(Packet):  # type: ignore[misc]  # the library carries no types
    """Packets that many clients get, one after the other, as one thing that waits for each of them."""

    def __init__(self, packets: Sequence[Packet]) -> None:
        super().__init__(MESSAGE)
        self.packets = packets

    @cached_property
    def frames(self) -> bytes:
        """Made once, whoever gets them."""
        return b"".join(_frame(packet) for packet in self.packets)


class Joined(Packet):  # type: ignore[misc]
    """What one client is written at once."""

    def __init__(self, packets: Iterable[Packet]) -> None:
        super().__init__(MESSAGE)
        self._frames = Frames(
            b"".join(packet.frames if isinstance(packet, Bundle) else _frame(packet) for packet in packets)
        )

    def encode(self, b64: bool = False) -> Frames:  # noqa: ARG002, FBT001, FBT002  # the library's signature
        return self._frames


def bundles(packets: Sequence[Packet]) -> Iterator[Bundle]:
    """Packets for many, in their order."""
    for first in range(0, len(packets), MOST_IN_A_BUNDLE):
        yield Bundle(packets[first : first + MOST_IN_A_BUNDLE])


def one_by_one(packets: Iterable[Packet]) -> Iterator[Packet]:
    """The same without bundles, as polling clients get them."""
    for packet in packets:
        yield from packet.packets if isinstance(packet, Bundle) else (packet,)


def _frame(packet: Packet) -> bytes:
    text = packet.encode().encode()
    return bytes(Header.encode_header(True, WebSocket.OPCODE_TEXT, b"", len(text), 0)) + text
