"""Many connections that stall at some step: what they cost a server, and whether it closes them."""

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import requests

from bench.harness.line_process import LineProcess, line_process
from bench.harness.process_stats import open_sockets, resident_bytes
from bench.harness.servers import ROOT

ATTACKER = "127.0.0.2"
STEP_SECONDS = 0.25


@dataclass
class Crowd:
    """The connections that are left, and the answers to other clients meanwhile."""

    left: int = 0
    """The growth in the server's open connections."""
    health_seconds: list[float] = field(default_factory=list)
    memory_growth_bytes: int = 0
    seconds: float = 0


def stall_connections(
    url: str, pid: int, *, silent: int, slow: int, stopped: int, patience_seconds: float
) -> Crowd:
    """Hold connections open until the server has closed all, or ``patience_seconds`` have passed.

    ``silent`` connections send nothing; ``slow`` is the number of each kind that sends a byte a second;
    ``stopped`` is the number of each kind that stops in a polling packet or an upgrade or reads no answers.
    ``pid`` is the server's. ``/healthz`` is requested in every step.
    """
    crews = {
        "silence": silent,
        **dict.fromkeys(("slow heads", "slow bodies", "slow chunks"), slow),
        **dict.fromkeys(("half packets", "half upgrades", "unread answers"), stopped),
    }
    _allow_many_files(2 * sum(crews.values()))
    crowd, connections, memory = Crowd(), open_sockets(pid), resident_bytes(pid)
    with attacking(url, seconds=2 * patience_seconds, crews=crews) as attackers:
        assert attackers.answer(), "all are connected"
        began = time.monotonic()
        while not crowd.seconds or (crowd.left > 0 and crowd.seconds < patience_seconds):
            crowd.health_seconds.append(_seconds_for_health(url))
            crowd.memory_growth_bytes = max(crowd.memory_growth_bytes, resident_bytes(pid) - memory)
            crowd.left = max(open_sockets(pid) - connections, 0)
            crowd.seconds = time.monotonic() - began
            time.sleep(STEP_SECONDS)
    return crowd


@contextmanager
def attacking(url: str, *, token: str = "", **options: object) -> Iterator[LineProcess]:
    """Start the attackers (attackers.py) with these options, in a process of their own."""
    address = urlsplit(url)
    attacker = {"host": address.hostname, "port": address.port, "source": ATTACKER, "token": token}
    with line_process([sys.executable, "-m", "bench.harness.attacks.attackers"], cwd=ROOT) as process:
        process.send({"attacker": attacker, **options})
        yield process


def _seconds_for_health(url: str) -> float:
    began = time.monotonic()
    requests.get(f"{url}/healthz", timeout=30).raise_for_status()
    return time.monotonic() - began


def _allow_many_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(count, hard)), hard))
