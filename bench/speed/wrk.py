"""Debian's load tool wrk, for servers that answer faster than a load tool in Node.js can send requests."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from bench.speed.http_load import CONNECTIONS, LONGEST_SECONDS
from bench.speed.machine import running_on

RATE = re.compile(r"^Requests/sec:\s+([0-9.]+)", re.MULTILINE)
REFUSED = re.compile(r"^\s+(Non-2xx.*|Socket errors.*)", re.MULTILINE)


def requests_per_second(headers: Mapping[str, str], url: str, *, core: int, seconds: float) -> float:
    """Request a page as fast as it is answered, from this core. Raises AssertionError for any error."""
    with running_on(core):
        finished = subprocess.run(
            command(url, headers, seconds=seconds), capture_output=True, text=True, check=True
        )
    found, refused = RATE.search(finished.stdout), REFUSED.search(finished.stdout)
    assert found, finished.stdout
    assert refused is None, refused and refused[0]
    return float(found[1])


@contextmanager
def background_load(url: str, headers: Mapping[str, str], *, core: int) -> Iterator[None]:
    """Request a page as fast as it is answered, during the block.

    When nothing else has work: it stands for other machines, so neither the tool that measures meanwhile nor
    PostgreSQL, on the same core, must wait for this one.
    """
    tool = ["chrt", "--idle", "0", *command(url, headers, seconds=LONGEST_SECONDS)]
    with running_on(core):
        process = subprocess.Popen(tool, stdout=subprocess.DEVNULL, start_new_session=True)
    with process:
        try:
            yield
            assert process.poll() is None, "wrk ended early"
        finally:
            process.terminate()


def command(url: str, headers: Mapping[str, str], *, seconds: float) -> Sequence[str]:
    """The command line. Raises AssertionError when wrk is not installed."""
    path = shutil.which("wrk")
    assert path, "wrk is not installed (Debian package wrk)"
    options = ["--threads=1", f"--connections={CONNECTIONS}", f"--duration={max(round(seconds), 1)}s"]
    return [path, *options, *(f"--header={name}: {value}" for name, value in headers.items()), url]
