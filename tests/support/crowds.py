"""Many connections that ask for nothing, or take forever to: what they do to a server, and to others."""

import resource
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import requests

from tests.support.raw_http import is_closed, open_connection

STEP_SECONDS = 0.25
UNFINISHED_HEAD = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: "
UNFINISHED_BODY = b"POST /auth/me HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"


@dataclass
class Crowd:
    """What a crowd was like: how many still stood at the end, and how others fared meanwhile."""

    left: dict[str, int] = field(default_factory=dict)
    health_seconds: list[float] = field(default_factory=list)
    memory_growth_bytes: int = 0
    seconds: float = 0


def besiege(
    url: str,
    pid: int,
    *,
    silent: int,
    slow: int,
    patience_seconds: float,
    looking_on: Callable[[Crowd], None] = lambda _crowd: None,
) -> Crowd:
    """Hold silent connections, slow headers and slow bodies open until the server has closed them all.

    Gives up after ``patience_seconds``. ``pid`` is the server's, for its memory. The slow ones send a byte
    every quarter of a second; between these bytes ``/healthz`` is asked.
    """
    _allow_many_files(silent + 2 * slow + 200)
    crowd, began, memory = Crowd(), time.monotonic(), resident_bytes(pid)
    groups = {
        "silent": _open(url, silent, b""),
        "slow headers": _open(url, slow, UNFINISHED_HEAD),
        "slow bodies": _open(url, slow, UNFINISHED_BODY),
    }
    while any(groups.values()) and crowd.seconds < patience_seconds:
        for name, connections in groups.items():
            groups[name] = [each for each in connections if _still_there(each, name)]
        crowd.health_seconds.append(_seconds_for_health(url))
        crowd.memory_growth_bytes = max(crowd.memory_growth_bytes, resident_bytes(pid) - memory)
        crowd.seconds = time.monotonic() - began
        crowd.left = {name: len(connections) for name, connections in groups.items()}
        looking_on(crowd)
        time.sleep(STEP_SECONDS)
    for connections in groups.values():
        for connection in connections:
            connection.close()
    return crowd


def resident_bytes(pid: int) -> int:
    """The memory that a process and its children hold now."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = [int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in (pid, *children)]
    return sum(pages) * resource.getpagesize()


def _open(url: str, count: int, first: bytes) -> list[socket.socket]:
    opened = [open_connection(url) for _ in range(count)]
    for connection in opened:
        connection.sendall(first)
    return opened


def _still_there(connection: socket.socket, group: str) -> bool:
    try:
        if not is_closed(connection):
            if group != "silent":
                connection.sendall(b"a")
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
