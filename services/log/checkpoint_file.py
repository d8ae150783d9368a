"""The file in which a machine keeps the last signed checkpoint that it knows.

It has the mode 0600, and all processes of the machine share it.
"""

import fcntl
import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from services.shared.errors import Unavailable

log = logging.getLogger("platform.log")

LOCK_SECONDS = 5.0
RETRY_SECONDS = 0.01


class Kept(NamedTuple):
    """The content of the file."""

    checkpoint: str
    """A signed note."""
    database: str
    """The ``identity`` of the database (models/db/connection.py, models/db/postgres.py)."""
    history: str
    """A random text, which changes when seeds are redrawn: then nonces may be played anew."""
    epoch: int = 1
    """The newest epoch of redraws."""
    ended: dict[str, str] = {}
    """The last checkpoint of each log that has a successor, by its origin."""


def read(path: Path) -> Kept | None:
    """The content; None if the file is missing or damaged. Raises OSError if it can't be read."""
    try:
        content = json.loads(path.read_bytes())
        ended = {str(origin): str(note) for origin, note in content["ended"].items()}
        return Kept(
            checkpoint=str(content["checkpoint"]),
            database=str(content["database"]),
            history=str(content["history"]),
            epoch=int(content["epoch"]),
            ended=ended,
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(path: Path, kept: Kept) -> None:
    """Replace the file atomically and sync it to the disk. Only within ``locked``. Raises OSError."""
    new = path.with_suffix(".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:  # noqa: PTH123  # a descriptor, for its mode
        json.dump(kept._asdict(), file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


@contextmanager
def locked(path: Path, *, unless: Callable[[], bool] = lambda: False) -> Iterator[bool]:
    """Keep other processes from changing the file during the block. Yields whether it is locked.

    ``unless`` is asked while another process has the lock, and ends the wait by returning True. Raises
    Unavailable after a wait of LOCK_SECONDS.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _lock(descriptor, unless)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, unless: Callable[[], bool]) -> bool:
    # A blocking flock would block all greenlets of the process.
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if unless():
            return False
        if time.monotonic() > deadline:
            log.error("another process keeps the file of the checkpoint locked")
            raise Unavailable
        time.sleep(RETRY_SECONDS)
