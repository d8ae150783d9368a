"""What a machine keeps outside of the database: the last signed checkpoint, and which database has it.

All processes of the machine share the file, ``INSTANCE_DIR/log.checkpoint``. It has the mode 0600.
"""

import fcntl
import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from models.db.connection import database, reading
from services.log.battle_locks import BattleLocks
from services.log.entries import Pseudonyms
from services.log.notes import BadNote, Checkpoint, LogKeys
from services.shared.errors import Unavailable

log = logging.getLogger("platform.log")

NAME = "log.checkpoint"

WRONG_KEY = "the last checkpoint of this machine was signed with another key"

LOCK_SECONDS = 5.0
RETRY_SECONDS = 0.01


@dataclass(frozen=True)
class File:
    """The content of the file."""

    note: str
    """The last checkpoint that this machine knows, signed."""
    database: str
    """The ``identity`` of the database that it was last seen in (models/db/)."""
    epoch: int
    """The newest epoch of redraws."""
    ended: dict[str, str]
    """The last checkpoint of each log that has a successor, a note, by its origin."""
    paused_in: str = ""
    """The ``identity`` of another database, in which bets are paused."""

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the note, without a look at its signatures."""
        return Checkpoint.parse(self.note.partition("\n\n")[0] + "\n")


class MachineFile:
    """The file, as this process knows it."""

    def __init__(self, directory: Path, keys: LogKeys, pseudonyms: Pseudonyms, locks: BattleLocks) -> None:
        self.path = directory / NAME
        self.keys = keys
        self.locks = locks
        self._pseudonyms = pseudonyms
        self.known: File | None = None
        """What this process has read or written last."""
        self._version: tuple[int, int] | None = None
        self.unlogged: dict[int, int] = {}
        """The last nonce of each player's bets that were settled here and may not be in the log yet."""

    def follow(self) -> File | None:
        """The content, if it is about the database that this process knows; otherwise None.

        It needs no lock, because the file is replaced atomically. With one, the requests of all processes
        would wait for each append. To be used within ``reading()``.
        """
        before, version = self.known, self._present_version()
        if before is None or not database.leads_to(before.database):
            return None
        if version != self._version:
            content = self.read()
            if content is None or content.database != before.database:
                return None
            self._remember(content, version)
        return self.known

    def read(self) -> File | None:
        """The content; None if there is none. Raises Unavailable if no key has signed its checkpoint."""
        content = read(self.path)
        try:
            if content is not None:
                self.keys.open_checkpoint(content.note)
        except BadNote:
            log.error(WRONG_KEY)  # noqa: TRY400  # the line is enough
            raise Unavailable from None
        return content

    def adopt(self, content: File) -> File:
        """Remember what was read; returns it. Within ``locked``."""
        self._remember(content, self._present_version())
        return content

    def keep(self, content: File) -> File:
        """Replace the file; returns the content. Within ``locked``. Raises Unavailable.

        With a new checkpoint it is decided which locks of battles are in time. Then the database must contain
        the checkpoint.
        """
        before = self.known
        if before is not None and before.note == content.note:
            return self._write(content)
        is_same_log = before is not None and before.checkpoint.origin == content.checkpoint.origin
        self.locks.before_write(before.checkpoint.size if before and is_same_log else 0)
        self._write(content)
        self.locks.after_write(content.checkpoint.size)
        return content

    def _write(self, content: File) -> File:
        try:
            write(self.path, content)
        except OSError as failure:
            log.exception("checkpoint not written")
            raise Unavailable from failure
        self._remember(content, self._present_version())
        return content

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from changing the file. Raises Unavailable.

        The connection comes first: those who wait for the lock may hold all connections of the pool.
        """
        if database.in_transaction():
            raise RuntimeError("a checkpoint must be committed before its file is written")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with reading():
            descriptor = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(descriptor)
                yield
            finally:
                os.close(descriptor)

    def _remember(self, content: File, version: tuple[int, int] | None) -> None:
        if self.known is not None and self.known.epoch != content.epoch:
            # Another object: the bets that a running append counts as logged are those of the old epoch.
            self.unlogged = {}
            self._pseudonyms.forget()
        self.known, self._version = content, version

    def _present_version(self) -> tuple[int, int] | None:
        """A value that changes when the file is replaced; None without a file."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns


def read(path: Path) -> File | None:
    """The content of the file, whoever signed it; None if it is missing or damaged."""
    try:
        content = json.loads(path.read_bytes())
        ended = {str(origin): str(note) for origin, note in content["ended"].items()}
        database, epoch, paused_in = content["database"], content["epoch"], content["pausedIn"]
        found = File(str(content["checkpoint"]), str(database), int(epoch), ended, str(paused_in))
        _ = found.checkpoint
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return found


def write(path: Path, file: File) -> None:
    """Replace the file atomically and sync it to the disk. Raises OSError."""
    content = {
        "checkpoint": file.note,
        "database": file.database,
        "epoch": file.epoch,
        "ended": file.ended,
        "pausedIn": file.paused_in,
    }
    new = path.with_suffix(".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as opened:  # noqa: PTH123  # a descriptor, for its mode
        json.dump(content, opened)
        opened.flush()
        os.fsync(opened.fileno())
    new.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _lock(descriptor: int) -> None:
    # A blocking flock would block all greenlets of the process.
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if time.monotonic() > deadline:
            log.error("another process keeps the file of the checkpoint locked")
            raise Unavailable
        time.sleep(RETRY_SECONDS)
