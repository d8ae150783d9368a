"""The two cores of a measurement, for the server and for the load tool, and the CPU time of a process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER_TICKS, SYSTEM_TICKS = 11, 12
"""The fields of CPU time in /proc/PID/stat, counted after the name."""


@dataclass(frozen=True)
class Cores:
    """The cores of the server and of the load tool; the same one when there is no second."""

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
    """Processes that are started in the block run on these cores only."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def lower_priority(pid: int, nice: int) -> None:
    """Make the process, which leads a session, and its children yield to others on a busy core.

    Linux shares a core between sessions first: the niceness of a process alone may have no effect on others.
    """
    session = Path(f"/proc/{pid}/autogroup")
    if session.exists():
        session.write_text(f"{nice}\n")
    os.setpriority(os.PRIO_PGRP, pid, nice)


def cpu_seconds(pid: int) -> float:
    """CPU seconds of a process and its children so far; 0 if the system does not report them."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return 0.0
    # After the name, which is in parentheses and may contain any character.
    fields = status.read_text().rpartition(")")[2].split()
    ticks = int(fields[USER_TICKS]) + int(fields[SYSTEM_TICKS])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return ticks / os.sysconf("SC_CLK_TCK") + sum(cpu_seconds(int(child)) for child in children)
