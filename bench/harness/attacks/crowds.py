"""Many connections that stall at some step: what they cost a server, and whether it closes them."""

import json
import resource
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import requests

from bench.harness.raw_http import open_connection

STEP_SECONDS = 0.25
POLLING = "/socket.io/?EIO=4&transport=polling"
GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\n"
POST = b"POST /auth/me HTTP/1.1\r\nHost: a\r\n"
LARGE_ANSWERS = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n" * 100
UPGRADE = (
    "GET {session} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
DRIPPING = ("slow heads", "slow bodies", "slow chunks", "slow packets")
"""The groups that send a byte in every step."""

UNREAD = "unread answers"
"""A client with unread data does not see its connection end; only the server's count shows it."""


@dataclass
class Crowd:
    """The connections that are left, and the answers to other clients meanwhile."""

    left: dict[str, int] = field(default_factory=dict)
    server_left: int = 0
    """The growth in the server's open connections."""
    health_seconds: list[float] = field(default_factory=list)
    memory_growth_bytes: int = 0
    seconds: float = 0


def stall_connections(
    url: str,
    pid: int,
    *,
    silent: int,
    slow: int,
    stopped: int,
    patience_seconds: float,
) -> Crowd:
    """Hold connections open until the server has closed all, or ``patience_seconds`` have passed.

    ``silent`` connections send nothing; ``slow`` is the number of each kind that sends a byte in every step;
    ``stopped`` is the number of each kind that stops in a polling packet or an upgrade or reads no answers.
    ``pid`` is the server's. ``/healthz`` is requested in every step.
    """
    _allow_many_files(silent + 3 * slow + 3 * stopped + 200)
    crowd, connections, memory = Crowd(), open_connections(pid), resident_bytes(pid)
    began = time.monotonic()
    groups = {
        "silent": _open(url, silent, lambda: b""),
        "slow heads": _open(url, slow, lambda: GET + b"X-Slow: "),
        "slow bodies": _open(url, slow, lambda: POST + b"Content-Length: 60000\r\n\r\n"),
        "slow chunks": _open(url, slow, lambda: POST + b"Transfer-Encoding: chunked\r\n\r\nffff\r\n"),
        "slow packets": _open(url, stopped, lambda: _packet(url)),
        "half upgrades": _open(url, stopped, lambda: _upgrade(url)),
        UNREAD: _open(url, stopped, lambda: LARGE_ANSWERS),
    }
    while (any(crowd.left.values()) or crowd.server_left > 0 or not crowd.left) and (
        crowd.seconds < patience_seconds
    ):
        for name in groups.keys() - {UNREAD}:
            groups[name] = [each for each in groups[name] if _still_there(each, name)]
            crowd.left[name] = len(groups[name])
        crowd.health_seconds.append(_seconds_for_health(url))
        crowd.memory_growth_bytes = max(crowd.memory_growth_bytes, resident_bytes(pid) - memory)
        crowd.server_left = open_connections(pid) - connections
        crowd.seconds = time.monotonic() - began
        time.sleep(STEP_SECONDS)
    for group in groups.values():
        for connection in group:
            connection.close()
    return crowd


def resident_bytes(pid: int) -> int:
    """The resident memory of a process and its children."""
    pages = [int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in _family(pid)]
    return sum(pages) * resource.getpagesize()


def open_connections(pid: int) -> int:
    """The number of open sockets of a process and its children."""
    return sum(file.is_socket() for each in _family(pid) for file in Path(f"/proc/{each}/fd").iterdir())


def _family(pid: int) -> list[str]:
    return [str(pid), *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _packet(url: str) -> bytes:
    return f"POST {_session(url)} HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n4".encode()


def _upgrade(url: str) -> bytes:
    return UPGRADE.format(session=_session(url).replace("polling", "websocket")).encode()


def _session(url: str) -> str:
    opened = requests.get(url + POLLING, timeout=30)
    return f"{POLLING}&sid={json.loads(opened.text[1:])['sid']}"


def _open(url: str, count: int, first: Callable[[], bytes]) -> list[socket.socket]:
    opened = [open_connection(url) for _ in range(count)]
    for connection in opened:
        connection.sendall(first())
    return opened


def _still_there(connection: socket.socket, group: str) -> bool:
    connection.setblocking(False)
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        try:
            if group in DRIPPING:
                connection.sendall(b"a")
        except OSError:
            pass
        else:
            return True
    except OSError:
        pass
    connection.close()
    return False


def _seconds_for_health(url: str) -> float:
    began = time.monotonic()
    requests.get(f"{url}/healthz", timeout=30).raise_for_status()
    return time.monotonic() - began


def _allow_many_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(count, hard)), hard))
