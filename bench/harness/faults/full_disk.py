"""A disk on which a server process can write no more, while it runs: by a limit on the size of its files.

To the process it is what a full disk is: whatever it writes to a file fails. It needs no rights and no file
system of its own; ``bench/faults.py`` has a small one that is really full.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def no_room_for(pid: int) -> Iterator[None]:
    """A process and its children can make no file larger, nor write over what is there, for the block."""
    everybody = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    before = {each: resource.prlimit(each, resource.RLIMIT_FSIZE) for each in everybody}
    for each, (_, hard) in before.items():
        resource.prlimit(each, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        for each, limits in before.items():
            resource.prlimit(each, resource.RLIMIT_FSIZE, limits)


@contextmanager
def filled(directory: Path) -> Iterator[None]:
    """The file system of this directory has not a byte left for the block."""
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
