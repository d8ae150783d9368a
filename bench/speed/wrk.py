"""wrk, Debian's HTTP load tool: for servers that answer faster than a load tool in Node.js can ask."""

import re
import shutil
import subprocess
from collections.abc import Sequence

from bench.speed.asking import CONNECTIONS, Get
from bench.speed.machine import running_on

RATE = re.compile(r"^Requests/sec:\s+([0-9.]+)", re.MULTILINE)
REFUSED = re.compile(r"^\s+(Non-2xx.*|Socket errors.*)", re.MULTILINE)


def requests_per_second(url: str, get: Get, *, core: int, seconds: float) -> float:
    """Ask for one path as fast as it is answered, from this core. Raises AssertionError for any error."""
    with running_on(core):
        finished = subprocess.run(
            command(url, get, seconds=seconds), capture_output=True, text=True, check=True
        )
    found, refused = RATE.search(finished.stdout), REFUSED.search(finished.stdout)
    assert found, finished.stdout
    assert refused is None, refused and refused[0]
    return float(found[1])


def command(url: str, get: Get, *, seconds: float) -> Sequence[str]:
    """The command line. Raises AssertionError when it is not installed."""
    path = shutil.which("wrk")
    assert path, "wrk is not installed (Debian package wrk)"
    headers = [f"--header={name}: {value}" for name, value in get.headers.items()]
    return [
        path,
        "--threads=1",
        f"--connections={CONNECTIONS}",
        f"--duration={max(round(seconds), 1)}s",
        *headers,
        url + get.path,
    ]
