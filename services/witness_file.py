"""The file outside the database that remembers the last mark which the database must contain."""

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

Version = tuple[int, int]


class Witnessed(NamedTuple):
    """What the file says."""

    mark: Mark
    database: str
    """Which database it was, as far as the database can tell: see ``identity`` in models/."""


class WitnessFile:
    """A small file with mode 0600, replaced as a whole and written through to the disk.

    All processes of one machine share it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def version(self) -> Version | None:
        """Differs whenever the file has been replaced; None when there is no file."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns

    def read(self) -> Witnessed | None:
        """None when there is no file, or not a whole one. Raises OSError when it may not be read."""
        try:
            content = json.loads(self._path.read_bytes())
            return Witnessed(Mark(int(content["number"]), str(content["token"])), str(content["database"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def write(self, witnessed: Witnessed) -> None:
        """Replace the file; it is on the disk when this returns. Only within ``locked``. Raises OSError."""
        new = self._path.with_suffix(".new")
        content = {**witnessed.mark._asdict(), "database": witnessed.database}
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w") as file:  # noqa: PTH123  # a descriptor, for its mode
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)
        directory = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no other process change the file during the block. Raises TimeoutError."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    # A blocking flock would stop all greenlets of the process.
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
