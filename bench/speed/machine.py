"""The two cores of a measurement, for the server and for the load tool."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER_SETTINGS = {
    # Packets of Ethernet's size. With the 64 kB of a loopback interface the kernel sends files a third slower
    # whose content does not begin at a page of memory, as in nginx's cache.
    Path("/sys/class/net/lo/mtu"): "1500",
    # Priorities count among all processes, and not only within a session.
    Path("/proc/sys/kernel/sched_autogroup_enabled"): "0",
}


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
def like_a_server() -> Iterator[None]:
    """Give Linux the settings of a server for the block, where this user may write them: root may."""
    before = {path: path.read_text() for path in SERVER_SETTINGS if os.access(path, os.W_OK)}
    try:
        for path in before:
            path.write_text(SERVER_SETTINGS[path])
        yield
    finally:
        for path, value in before.items():
            path.write_text(value)
