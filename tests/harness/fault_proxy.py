"""A TCP proxy that injects network faults: latency, stalls, resets, slices and cut answers."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum

from psycopg2.extensions import parse_dsn

CHUNK_BYTES = 64 * 1024
LEAVE_SECONDS = 10
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


class FaultProxy:
    """Passes bytes between its own ``port`` on 127.0.0.1 and a server at ``target``.

    ``target`` is a (host, port), or the path of a unix socket. Each direction of a connection has a thread.
    """

    def __init__(self, target: tuple[str, int] | str) -> None:
        self._target = target
        self._fault = PASS
        self._changed = threading.Condition()
        self._ends: set[socket.socket] = set()
        self._carrying: set[threading.Thread] = set()
        # Reserves the port while the proxy does not listen.
        self._place = _bound_socket(0)
        self.port: int = self._place.getsockname()[1]
        self._listening: socket.socket | None = None
        self.become(PASS)

    def become(self, fault: Fault) -> None:
        """Apply this fault from now on, to open connections too."""
        with self._changed:
            self._fault = fault
            self._changed.notify_all()
            carrying = set(self._carrying)
            if fault.kind is FaultKind.RESET:
                self._refuse()
            elif self._listening is None:
                self._listening = _bound_socket(self.port)
                self._listening.listen()
                threading.Thread(target=self._accept, args=[self._listening], daemon=True).start()
        if fault.kind is FaultKind.RESET:
            # A socket is reset when the last thread that waits for it has left it.
            for thread in carrying:
                thread.join(LEAVE_SECONDS)

    @contextmanager
    def being(self, fault: Fault) -> Iterator[None]:
        """Apply this fault during the block."""
        self.become(fault)
        try:
            yield
        finally:
            self.become(PASS)

    def close(self) -> None:
        self.become(RESET)
        self._place.close()

    def _refuse(self) -> None:
        """Reset all connections, and refuse new ones."""
        if self._listening is not None:
            # Ends a wait for a connection, which closing alone does not.
            self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
            self._listening = None
        for end in self._ends:
            _reset(end)
        self._ends.clear()

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                threading.Thread(target=self._carry, args=[client], daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        try:
            server = self._connect()
        except OSError:
            _reset(client)
            return
        with self._changed:
            self._ends |= {client, server}
            self._carrying.add(threading.current_thread())
            if self._fault.kind is FaultKind.RESET:
                self._refuse()
        answers = threading.Thread(target=self._pump, args=[server, client, True], daemon=True)
        answers.start()
        self._pump(client, server, False)
        answers.join()
        with self._changed:
            self._ends -= {client, server}
            self._carrying.discard(threading.current_thread())
        client.close()
        server.close()

    def _connect(self) -> socket.socket:
        if not isinstance(self._target, str):
            return socket.create_connection(self._target)
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._target)
        return server

    def _pump(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        try:
            while data := source.recv(CHUNK_BYTES):
                fault = self._may_pass()
                if fault.kind is FaultKind.LATENCY:
                    time.sleep(fault.seconds)
                    self._may_pass()
                if fault.kind is FaultKind.HALF and is_answer:
                    sink.sendall(data[: len(data) // 2])
                    raise ConnectionAbortedError
                self._send(sink, data)
            self._may_pass()
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, sink):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _may_pass(self) -> Fault:
        """Wait while nothing passes. Returns the present fault."""
        with self._changed:
            self._changed.wait_for(lambda: self._fault.kind is not FaultKind.STALL)
            return self._fault

    def _send(self, sink: socket.socket, data: bytes) -> None:
        # Read for each slice: when the fault ends, the rest is sent at once.
        while data and (fault := self._fault).kind is FaultKind.SLICES:
            sink.sendall(data[: fault.slice_bytes])
            data = data[fault.slice_bytes :]
            time.sleep(fault.seconds if data else 0)
        sink.sendall(data)


def _reset(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        # Wakes the thread that reads from it, which would keep it open.
        end.shutdown(socket.SHUT_RD)
    end.close()


def _bound_socket(port: int) -> socket.socket:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    return bound


@contextmanager
def fault_proxy(target: tuple[str, int] | str) -> Iterator[FaultProxy]:
    """Run a proxy, which passes everything until a fault is set."""
    proxy = FaultProxy(target)
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
