"""Packets as they go over a websocket: several in one write, which costs about as much as one."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from engineio.packet import MESSAGE, Packet
from geventwebsocket.websocket import Header, WebSocket

MOST_IN_A_BUNDLE = 50


class Frames(bytes):
    """Whole frames, to be written as they are."""


class Bundle(Packet):  # type: ignore[misc]  # the library carries no types
    """Messages that one client or many get, one after the other, as one thing that waits for each of them."""

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__(MESSAGE)
        self._messages = messages

    @cached_property
    def frames(self) -> bytes:
        """Made once, whoever gets them."""
        return b"".join([_frame(f"{MESSAGE}{message}") for message in self._messages])

    @property
    def packets(self) -> list[Packet]:
        """One for each message."""
        return [Packet(MESSAGE, message) for message in self._messages]


class Joined(Packet):  # type: ignore[misc]
    """What one client is written at once."""

    def __init__(self, packets: Iterable[Packet]) -> None:
        super().__init__(MESSAGE)
        self._frames = Frames(
            b"".join(
                [
                    packet.frames if isinstance(packet, Bundle) else _frame(packet.encode())
                    for packet in packets
                ]
            )
        )

    def encode(self, b64: bool = False) -> Frames:  # noqa: ARG002, FBT001, FBT002  # the library's signature
        return self._frames


def bundles(messages: Sequence[str]) -> Iterator[Bundle]:
    """Messages for many, in their order."""
    for first in range(0, len(messages), MOST_IN_A_BUNDLE):
        yield Bundle(messages[first : first + MOST_IN_A_BUNDLE])


def one_by_one(packets: Iterable[Packet]) -> Iterator[Packet]:
    """The same without bundles, as polling clients get them."""
    for packet in packets:
        yield from packet.packets if isinstance(packet, Bundle) else (packet,)


def _frame(packet: str) -> bytes:
    text = packet.encode()
    return bytes(Header.encode_header(True, WebSocket.OPCODE_TEXT, b"", len(text), 0)) + text
