"""A full disk for a running server process.

``no_room_for`` sets a limit on the size of its files, so each write to a file fails; this needs no rights and
no file system. ``filled`` fills a real file system, such as the small ones of ``bench/faults.py``.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.harness.process_stats import children


@contextmanager
def no_room_for(pid: int) -> Iterator[None]:
    """During the block, a process and its children can write to no file."""
    before = {each: resource.prlimit(each, resource.RLIMIT_FSIZE) for each in (pid, *children(pid))}
    for each, (_, hard) in before.items():
        resource.prlimit(each, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        for each, limits in before.items():
            resource.prlimit(each, resource.RLIMIT_FSIZE, limits)


@contextmanager
def filled(directory: Path) -> Iterator[None]:
    """Fill the file system of this directory to the last byte during the block."""
    ballast = directory / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1024 * 1024, 4096, 1):
            try:
                while file.write(b"\1" * size) == size:
                    pass
            except OSError:
                continue
    try:
        yield
    finally:
        ballast.unlink()
