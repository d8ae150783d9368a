"""The monitor of the public log, run beside a storm as anybody could run it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MONITOR = Path(__file__).parents[2] / "verify" / "monitor.py"
SECONDS = 120


@contextmanager
def monitored(url: str, directory: Path) -> Iterator[list[str]]:
    """Watch the log of this server during the block. The list has the contradictions after it.

    A server that does not answer is no contradiction.
    """
    command = [sys.executable, str(MONITOR), f"{url}/log", "--state", str(directory / "monitor.json")]
    contradictions: list[str] = []
    watching = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield contradictions
        watching.terminate()
        watching.wait(SECONDS)
        last = subprocess.run(
            [*command, "--once"], capture_output=True, text=True, check=False, timeout=SECONDS
        )
        if last.returncode:
            contradictions += [f"monitor: {line}" for line in last.stdout.splitlines()[:20]]
            contradictions += [f"monitor: {line}" for line in last.stderr.splitlines()[-5:]]
    finally:
        watching.kill()
        watching.wait()
