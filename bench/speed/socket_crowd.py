"""A process with many browser sockets, controlled over standard input.

    python -m bench.speed.socket_crowd URL < commands

Each command is a line of JSON, and so is its answer. ``{"join": [token, …]}`` opens a websocket for each
token at once and answers when all have been welcomed, or one was lost. ``{"heard": n}`` waits until all of
them have the n-th live bet since the start, and says when, in Unix ms, the first and the last one had it.
"""

import asyncio
import json
import resource
import sys
import time
from typing import Any
from urllib.parse import urlsplit

PATIENCE_SECONDS = 120
ORIGIN = "https://play.example.com"
TEXT = b"\x81"
NO_MASK = b"\0\0\0\0"
MASKED = 0x80
# Chrome's headers, because the server may keep them for as long as the socket lives.
HANDSHAKE = (
    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n"
    "Host: {host}\r\n"
    "Connection: Upgrade\r\n"
    "Pragma: no-cache\r\n"
    "Cache-Control: no-cache\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
    " Safari/537.36\r\n"
    "Upgrade: websocket\r\n"
    "Origin: {origin}\r\n"
    "Sec-WebSocket-Version: 13\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Accept-Language: en-GB,en-US;q=0.9,en;q=0.8\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n"
)


class Crowd:
    """All sockets of this process, and how many of them each live bet has reached."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        self.handshake = HANDSHAKE.format(host=parts.netloc, origin=ORIGIN).encode()
        self.members: list[Member] = []
        self.lost = 0
        # In order of arrival: how many sockets have it, and the times of the first and the last.
        self.heard: dict[bytes, list[float]] = {}
        self.changed = asyncio.Event()

    async def join(self, tokens: list[str]) -> dict[str, Any]:
        began = time.monotonic()
        loop = asyncio.get_running_loop()
        joining = [
            loop.create_connection(lambda token=token: Member(self, token), self.host, self.port)
            for token in tokens
        ]
        joined = [member for _, member in await asyncio.gather(*joining)]
        self.members += joined
        await self._until(lambda: self.lost or all(member.welcomed_at for member in joined))
        welcomed = sum(member.welcomed_at > 0 for member in joined)
        return {"joined": welcomed, "lost": self.lost, "seconds": time.monotonic() - began}

    async def hear(self, number: int) -> dict[str, Any]:
        def all_have_it() -> bool:
            return (
                len(self.heard) >= number and list(self.heard.values())[number - 1][0] >= len(self.members)
            ) or self.lost > 0

        await self._until(all_have_it)
        count, first, last = list(self.heard.values())[number - 1]
        return {"count": count, "first_ms": first, "last_ms": last, "lost": self.lost}

    async def _until(self, condition: Any) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not condition():
                self.changed.clear()
                await self.changed.wait()

    def count(self, event: bytes) -> None:
        now = time.time() * 1000
        entry = self.heard.setdefault(event, [0, now, now])
        entry[0] += 1
        entry[2] = now
        if entry[0] >= len(self.members):
            self.changed.set()


class Member(asyncio.Protocol):
    """A socket of a browser that joins, answers pings and listens."""

    def __init__(self, crowd: Crowd, token: str) -> None:
        self.crowd, self.token = crowd, token
        self.welcomed_at = 0.0
        self.received = b""
        self.is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self.crowd.handshake)  # type: ignore[attr-defined]

    def connection_lost(self, _reason: Exception | None) -> None:
        self.crowd.lost += 1
        self.crowd.changed.set()

    def data_received(self, data: bytes) -> None:
        self.received += data
        if not self.is_open:
            head, end, rest = self.received.partition(b"\r\n\r\n")
            if not end:
                return
            if b" 101 " not in head.partition(b"\r\n")[0]:
                self.transport.close()
                return
            self.is_open, self.received = True, rest
        while (packet := self._next_packet()) is not None:
            self._take(packet)

    def _next_packet(self) -> bytes | None:
        """The payload of the next complete frame. Frames of the server are not masked or fragmented."""
        received = self.received
        if len(received) < 2:
            return None
        length, start = received[1], 2
        if length == 126:
            length, start = int.from_bytes(received[2:4], "big"), 4
        elif length == 127:
            length, start = int.from_bytes(received[2:10], "big"), 10
        if len(received) < start + length:
            return None
        self.received = received[start + length :]
        return received[start : start + length]

    def _take(self, packet: bytes) -> None:
        if packet.startswith(b"0"):
            self._say(b"40" + json.dumps({"token": self.token}).encode())
        elif packet == b"2":
            self._say(b"3")
        elif packet.startswith(b'42["live-bets",'):
            self.welcomed_at = time.monotonic()
            self.crowd.changed.set()
        elif packet.startswith(b'42["live-bets:new",'):
            self.crowd.count(packet)

    def _say(self, packet: bytes) -> None:
        length = len(packet)
        size = bytes([MASKED | length]) if length < 126 else bytes([MASKED | 126]) + length.to_bytes(2, "big")
        self.transport.write(TEXT + size + NO_MASK + packet)  # type: ignore[attr-defined]


async def serve(url: str) -> None:
    crowd = Crowd(url)
    commands = asyncio.StreamReader(limit=2**24)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        command = json.loads(line)
        if "join" in command:
            answer = await crowd.join(command["join"])
        else:
            answer = await crowd.hear(command["heard"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(serve(sys.argv[1]))
