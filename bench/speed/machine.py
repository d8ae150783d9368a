"""The two cores of a measurement: one for the server, one for whoever asks; and what a server used of its."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER_TICKS, SYSTEM_TICKS = 11, 12
"""Where they stand in /proc/PID/stat, counted from after the name."""


@dataclass(frozen=True)
class Cores:
    """Where the server runs and where the load tool runs; the same one when there is no second."""

    server: int
    load: int

    @property
    def are_two(self) -> bool:
        return self.server != self.load

    @property
    def both(self) -> frozenset[int]:
        return frozenset({self.server, self.load})


def two_cores() -> Cores:
    """The first and the last core that this process may use."""
    if not hasattr(os, "sched_setaffinity"):
        return Cores(0, 0)
    usable = sorted(os.sched_getaffinity(0))
    return Cores(usable[0], usable[-1])


@contextmanager
def running_on(*cores: int) -> Iterator[None]:
    """Start processes on these cores: what is started inside inherits them, and stays there."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def cpu_seconds(pid: int) -> float:
    """What a process and its children have used of any core so far; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return 0.0
    # After the name, which is in parentheses and may hold anything.
    fields = status.read_text().rpartition(")")[2].split()
    ticks = int(fields[USER_TICKS]) + int(fields[SYSTEM_TICKS])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return ticks / os.sysconf("SC_CLK_TCK") + sum(cpu_seconds(int(child)) for child in children)
