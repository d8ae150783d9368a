"""A disk that is full for a running server process, without rights and without a file system of its own."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from tests.harness.process_stats import children


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
