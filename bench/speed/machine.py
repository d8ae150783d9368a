"""The two cores of a measurement, for the server and for the load tool."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")


@dataclass(frozen=True)
class Cores:
    """The cores of the server and of the load tool; the same one when there is no second."""

    server: int
    load: int

    @property
    def are_two(self) -> bool:
        return self.server != self.load


def two_cores() -> Cores:
    """The first and the last core that this process may use."""
    usable = sorted(os.sched_getaffinity(0))
    return Cores(usable[0], usable[-1])


@contextmanager
def running_on(*cores: int) -> Iterator[None]:
    """Processes that are started in the block run on these cores only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def priorities_among_all() -> Iterator[None]:
    """Let priorities count among all processes, not only within a session, where this user may set that."""
    if not os.access(AUTOGROUP, os.W_OK):
        yield
        return
    before = AUTOGROUP.read_text()
    AUTOGROUP.write_text("0")
    try:
        yield
    finally:
        AUTOGROUP.write_text(before)
