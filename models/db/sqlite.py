"""SQLite: its connections, the lock of its writers, and what it can't do as PostgreSQL does."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import peewee
from playhouse.pool import PooledSqliteDatabase

from models.db.new_connections import STATEMENT_MS
from models.db.postgres import LateSequence, as_unavailable


class _SqliteConnection(sqlite3.Connection):
    """A connection with the inode of the file that it has opened."""

    def __init__(self, path: str, *args: Any, **kwargs: Any) -> None:
        before = inode_of(path)
        super().__init__(path, *args, **kwargs)
        self.inode = before or inode_of(path)


def inode_of(path: str) -> int | None:
    """The inode of the file at this path, which changes when the file is replaced; None without a file."""
    try:
        return Path(path).stat().st_ino
    except OSError:
        return None


TYPES = {
    "BIGSERIAL": "INTEGER",
    "SERIAL": "INTEGER",
    "BIGINT": "INTEGER",
    "SMALLINT": "INTEGER",
    "BOOLEAN": "INTEGER",
    "DOUBLE PRECISION": "REAL",
    "BYTEA": "BLOB",
    # SQLite compares texts so by default.
    ' COLLATE "C"': "",
}
"""What a migration writes for PostgreSQL, and what SQLite has instead."""


class Sqlite(PooledSqliteDatabase):  # type: ignore[misc]  # peewee carries no types
    """SQLite for development and small installations."""

    is_shared = False
    """Whether several processes may serve players from it."""
    pool_size = 0
    """The number of connections is not limited."""
    waiters = 0
    repeatable_read_begin = ("DEFERRED",)
    now_ms = peewee.SQL("CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)")
    """The database's clock, in SQL. For SQLite it is that of this machine."""
    began_ms = now_ms
    """When the statement began, by the same clock. What it reads is as new, to within microseconds."""
    older = "an older file, or one without its -wal file, is in its place"
    """Why it may lack the last changes."""
    json_pairs = "json_each"
    """The function that makes a table of a JSON object, with the columns ``key`` and ``value``."""

    def __init__(self, path: str) -> None:
        super().__init__(
            path,
            autoconnect=False,
            max_connections=None,
            # A pooled connection moves between greenlets (gevent) or threads (`flask run`), and is used by
            # one of them at a time.
            check_same_thread=False,
            pragmas={
                "journal_mode": "wal",
                "foreign_keys": 1,
                "busy_timeout": STATEMENT_MS,
                # A commit that was answered survives a power cut.
                "synchronous": "full",
            },
            lock_type="IMMEDIATE",
            factory=_SqliteConnection,
        )
        # SQLite has one writer at a time, and the others poll. Writers of this process wait for this lock
        # instead, because a greenlet that polls inside SQLite blocks all others.
        self._write_lock = threading.Lock()

    def _connect(self) -> Any:
        # SQLite creates a file readable for every user, and gives the -wal and -shm files its mode.
        with suppress(OSError):
            os.close(os.open(self.database, os.O_CREAT | os.O_EXCL, 0o600))
        return super()._connect()

    def run_script(self, script: str) -> None:
        """Run the statements of a migration, which are written in PostgreSQL's types.

        SQLite keeps their texts, here in the form in which Peewee writes them.
        """
        for name, own in TYPES.items():
            script = script.replace(name, own)
        for statement in script.split(";"):
            self.execute_sql(" ".join(statement.split()).replace("( ", "(").replace(" )", ")"))

    @property
    def in_use(self) -> int:
        """How many connections are in use."""
        return len(self._in_use)

    @contextmanager
    def slot(self) -> Iterator[None]:
        try:
            yield
        except peewee.DatabaseError as error:
            unavailable = as_unavailable(error)
            if unavailable is error:
                raise
            raise unavailable from error

    def max_connections(self) -> int | None:
        """The limit of all processes together. SQLite has none."""
        return None

    def late_sequences(self) -> Iterator[LateSequence]:
        """Yield nothing: SQLite has no sequences."""
        yield from ()

    def identity(self) -> str:
        """A text that changes when the file is replaced. To be used within ``reading()``."""
        return f"sqlite {self.connection().inode}"

    def is_read_only(self) -> bool:
        """Whether this user may not write to the file."""
        return not os.access(self.database, os.W_OK)

    def foreign_wal(self, identity: str) -> Path | None:
        """The -wal file, if it is that of another file: the file with this identity was replaced.

        To be asked before the first connection, which would mix them.
        """
        wal, inode = Path(f"{self.database}-wal"), inode_of(self.database)
        is_filled = wal.exists() and wal.stat().st_size > 0
        return wal if is_filled and inode is not None and identity != f"sqlite {inode}" else None

    def leads_to(self, identity: str) -> bool:
        """Whether the connection in use has opened the file with this identity."""
        return identity == self.identity()

    def leave_connections(self) -> None:
        """Do nothing: connections to a replaced file are closed before their next use."""

    def _is_closed(self, conn: _SqliteConnection) -> bool:
        """Whether a pooled connection is closed, or its file has been replaced."""
        if super()._is_closed(conn):
            return True
        if conn.inode == inode_of(self.database):
            return False
        conn.close()
        return True

    def write_lock(self) -> AbstractContextManager[Any]:
        return self._write_lock

    @contextmanager
    def skip_while_locked(self) -> Iterator[None]:
        """Skip the block while another process writes. A wait would block all other greenlets."""
        self.execute_sql("PRAGMA busy_timeout = 0")
        try:
            yield
        except peewee.OperationalError as error:
            if "locked" not in str(error):
                raise
        finally:
            self.execute_sql(f"PRAGMA busy_timeout = {STATEMENT_MS}")

    def rollback(self) -> None:
        # When the disk is full, SQLite has rolled back by itself, and refuses.
        with suppress(peewee.OperationalError):
            super().rollback()

    def lift_statement_limit(self) -> None:
        """Do nothing: reads of SQLite have no time limit."""

    def lock_name(self, _name: str) -> None:
        """Do nothing: there is only one write transaction at a time."""

    def lock_tables(self, *_tables: type[peewee.Model]) -> None:
        """Do nothing: there is only one write transaction at a time."""
