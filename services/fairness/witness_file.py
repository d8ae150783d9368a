"""The file in which a machine keeps the last mark that it knows of the database.

It has the mode 0600, and all processes of the machine share it.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from models.seed_marks import Mark

LOCK_SECONDS = 5.0
RETRY_SECONDS = 0.01


class Witnessed(NamedTuple):
    """The content of the file."""

    mark: Mark
    database: str
    """The ``identity`` of the database (models/db/connection.py, models/db/postgres.py)."""
    history: str = ""
    """A random text, which changes when seeds are redrawn: then nonces may be played anew."""


def read(path: Path) -> Witnessed | None:
    """The content; None if the file is missing or damaged. Raises OSError if it can't be read."""
    try:
        content = json.loads(path.read_bytes())
        mark = Mark(int(content["number"]), str(content["token"]))
        # Files of earlier releases have no history.
        return Witnessed(mark, str(content["database"]), str(content.get("history", "")))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def write(path: Path, witnessed: Witnessed) -> None:
    """Replace the file atomically and sync it to the disk. Only within ``locked``. Raises OSError."""
    new = path.with_suffix(".new")
    content = {**witnessed.mark._asdict(), "database": witnessed.database, "history": witnessed.history}
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:  # noqa: PTH123  # a descriptor, for its mode
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes from changing the file during the block. Raises TimeoutError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    # A blocking flock would block all greenlets of the process.
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError("another process keeps the witness file locked") from None
            time.sleep(RETRY_SECONDS)
        else:
            return
