"""A TCP proxy that injects network faults: latency, stalls, resets, slices and cut answers.

It runs an event loop on its own thread, so the server behind it may be in this process or in another.
"""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from psycopg2.extensions import parse_dsn

CHUNK_BYTES = 64 * 1024
NO_LINGER = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing sends a reset."""


class FaultKind(StrEnum):
    """What the proxy does to the bytes that pass through it."""

    PASS = "pass"  # not a password
    LATENCY = "latency"
    STALL = "stall"
    RESET = "reset"
    SLICES = "slices"
    HALF = "half"


@dataclass(frozen=True)
class Fault:
    """One fault. ``seconds`` is the latency each way, or the pause between two slices."""

    kind: FaultKind = FaultKind.PASS
    seconds: float = 0.0
    slice_bytes: int = 16


PASS = Fault()
STALL = Fault(FaultKind.STALL)
"""Connections are accepted and nothing passes, not even the end of a connection."""

RESET = Fault(FaultKind.RESET)
"""All connections are reset, and new ones are refused."""

HALF = Fault(FaultKind.HALF)
"""Half of each answer passes; then its connection is closed."""


def latency(seconds: float) -> Fault:
    """Delay everything by this, each way."""
    return Fault(FaultKind.LATENCY, seconds)


def slices(seconds: float, slice_bytes: int = 16) -> Fault:
    """Send everything in slices of a few bytes, with a pause after each."""
    return Fault(FaultKind.SLICES, seconds, slice_bytes)


CALL_SECONDS = 30
ROUNDS_TO_ACCEPT = 10
"""Time of the event loop from accepting a connection to beginning its task."""


class FaultProxy:
    """Passes bytes between its own ``port`` on 127.0.0.1 and a server at ``target``.

    ``target`` is a (host, port), or the path of a unix socket.
    """

    def __init__(self, target: tuple[str, int] | str) -> None:
        self._target = target
        self._fault = PASS
        # All connections ever opened: a closed one stays open until its peer has read all data.
        self._ends: set[asyncio.StreamWriter] = set()
        # Reserves the port while the proxy does not listen.
        self._place = _bound_socket(0)
        self.port: int = self._place.getsockname()[1]
        self._listening: asyncio.Server | None = None
        self._changed = asyncio.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._call(self._listen())

    def become(self, fault: Fault) -> None:
        """Apply this fault from now on, to open connections too."""
        self._call(self._become(fault))

    @contextmanager
    def being(self, fault: Fault) -> Iterator[None]:
        """Apply this fault during the block."""
        self.become(fault)
        try:
            yield
        finally:
            self.become(PASS)

    def close(self) -> None:
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_SECONDS)
        self._loop.close()
        self._place.close()

    def _call(self, what: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(CALL_SECONDS)

    async def _listen(self) -> None:
        self._listening = await asyncio.start_server(self._carry, sock=_bound_socket(self.port))

    async def _stop_listening(self) -> None:
        """Accept nothing more, begin the tasks of what was accepted, and only then close the server.

        asyncio leaks the connections that it has accepted and not begun when their server is closed.
        """
        if self._listening:
            for listening in self._listening.sockets:
                self._loop.remove_reader(listening.fileno())
            for _ in range(ROUNDS_TO_ACCEPT):
                await asyncio.sleep(0)
            self._listening.close()
            self._listening = None

    async def _become(self, fault: Fault) -> None:
        if fault.kind is FaultKind.RESET and self._listening:
            await self._stop_listening()
            self._reset_all()
        async with self._changed:
            self._fault = fault
            self._changed.notify_all()
        if fault.kind is not FaultKind.RESET and self._listening is None:
            await self._listen()

    async def _end(self) -> None:
        await self._stop_listening()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._reset_all()

    def _reset_all(self) -> None:
        for end in self._ends:
            with suppress(OSError):
                end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            end.transport.abort()
        self._ends.clear()

    async def _carry(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        self._ends.add(to_client)
        try:
            from_server, to_server = await self._connect()
        except (OSError, asyncio.CancelledError):
            to_client.transport.abort()
            return
        self._ends.add(to_server)
        with suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(
                self._pump(from_client, to_server, is_answer=False),
                self._pump(from_server, to_client, is_answer=True),
            )
        for end in (to_client, to_server):
            end.transport.abort() if self._fault.kind is FaultKind.RESET else end.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, str):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection(*self._target)

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, is_answer: bool
    ) -> None:
        while data := await source.read(CHUNK_BYTES):
            await self._may_pass()
            fault = self._fault
            if fault.kind is FaultKind.LATENCY:
                await asyncio.sleep(fault.seconds)
                await self._may_pass()
            if fault.kind is FaultKind.SLICES:
                await self._in_slices(data, sink)
            elif fault.kind is FaultKind.HALF and is_answer:
                await _send(sink, data[: len(data) // 2])
                raise ConnectionResetError
            else:
                await _send(sink, data)
        await self._may_pass()
        if sink.can_write_eof():
            with suppress(OSError):
                sink.write_eof()

    async def _in_slices(self, data: bytes, sink: asyncio.StreamWriter) -> None:
        while data:
            # Read for each slice: when the fault ends, the rest is sent at once.
            fault = self._fault
            size = fault.slice_bytes if fault.kind is FaultKind.SLICES else len(data)
            await _send(sink, data[:size])
            data = data[size:]
            await asyncio.sleep(fault.seconds if data else 0)

    async def _may_pass(self) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._fault.kind is not FaultKind.STALL)


async def _send(sink: asyncio.StreamWriter, data: bytes) -> None:
    sink.write(data)
    await sink.drain()


def _bound_socket(port: int) -> socket.socket:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    return bound


@contextmanager
def fault_proxy(target: tuple[str, int] | str) -> Iterator[FaultProxy]:
    """Run a proxy, which passes everything until a fault is set."""
    proxy = FaultProxy(target)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.close()


@contextmanager
def before_postgres(url: str) -> Iterator[tuple[FaultProxy, str]]:
    """Run a proxy in front of a PostgreSQL server; yields it and the database's URL through it."""
    parts = parse_dsn(url)
    host, port = parts.get("host", "127.0.0.1"), parts.get("port", "5432")
    target = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, int(port))
    with fault_proxy(target) as proxy:
        password = f":{parts['password']}" if "password" in parts else ""
        yield proxy, f"postgresql://{parts['user']}{password}@127.0.0.1:{proxy.port}/{parts['dbname']}"
