"""Many connections that stall at some step: what they cost a server, and whether it closes them."""

import resource
import time
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.harness.process_stats import children, resident_bytes
from tests.storms.attacks.siege import attacking

STEP_SECONDS = 0.25


@dataclass
class Crowd:
    """What a crowd has cost, and the answers to other clients meanwhile."""

    left: int = 0
    """The growth in the server's open connections."""
    answered: int = 0
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
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(2 * sum(crews.values()), hard)), hard))
    crowd, connections, memory = Crowd(), _open_sockets(pid), resident_bytes(pid)
    with attacking(url, seconds=2 * patience_seconds, crews=crews) as attackers:
        assert attackers.answer(), "all are connected"
        began = time.monotonic()
        while not crowd.seconds or (crowd.left > 0 and crowd.seconds < patience_seconds):
            requests.get(f"{url}/healthz", timeout=30).raise_for_status()
            crowd.answered += 1
            crowd.memory_growth_bytes = max(crowd.memory_growth_bytes, resident_bytes(pid) - memory)
            crowd.left = max(_open_sockets(pid) - connections, 0)
            crowd.seconds = time.monotonic() - began
            time.sleep(STEP_SECONDS)
    return crowd


def _open_sockets(pid: int) -> int:
    """The number of open sockets of a process and its children."""
    return sum(
        file.is_socket() for each in (pid, *children(pid)) for file in Path(f"/proc/{each}/fd").iterdir()
    )
