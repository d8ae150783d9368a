"""What may happen to several processes and to the Redis between them, during a storm."""

import time
from contextlib import AbstractContextManager
from pathlib import Path

from tests.harness.cluster import Cluster, Process

LONGEST_DELAY_MS = 10_000
"""A connected player receives a proof so soon after it is due, whatever happens."""

CLOCK_AHEAD = {"FAKETIME": "+60s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
"""Set a process's clock ahead, but not its monotonic timers."""

AHEAD = "ahead of the database's"
"""What a process logs at its start."""


def last(fault: AbstractContextManager[object], seconds: float) -> None:
    """Let a fault last for this time."""
    with fault:
        time.sleep(seconds)


def set_a_clock_ahead(servers: Cluster, seconds: float) -> None:
    """Start a process again whose machine's clock is ahead; after these seconds, with the right one."""
    # Not the command faketime: it does not pass signals on.
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    process = servers.processes[-1]
    for preload in ({"LD_PRELOAD": str(library), **CLOCK_AHEAD}, {}):
        process.preload = preload
        restart(process)
        assert process.running is not None
        assert (AHEAD in process.running.log.read_text()) == bool(preload)
        time.sleep(seconds if preload else 0)


def pause_each(servers: Cluster, seconds: float) -> None:
    """Let one process after the other stand still for this time, and go on between them."""
    for process in servers.processes:
        assert process.running is not None
        last(process.running.paused(), seconds)
        time.sleep(2)


def restart_each(servers: Cluster) -> None:
    """Restart all processes one after the other, as a new release does."""
    for process in servers.processes:
        restart(process)


def restart(process: Process) -> None:
    code = process.stop()
    assert code == 0, f"a process that was stopped exited with {code}"
    process.start()
