"""The database of DATABASE_URL, and the three ways to use it.

``reading()`` borrows a connection, ``writing()`` adds a transaction, ``repeatable_read()`` gives many reads
the same state. Each is a context manager and a decorator, and joins an outer one. HTTP views, socket
handlers, commands and background greenlets use nothing else; only bets have connections of their own on
PostgreSQL.
"""

import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import peewee
from playhouse.pool import MaxConnectionsExceeded, PooledSqliteDatabase

from models.db import waiting
from models.db.new_connections import STATEMENT_MS
from models.db.postgres import POOL_SIZE, PoolUsage, Postgres, as_unavailable

UNAVAILABLE = (peewee.OperationalError, peewee.InterfaceError, MaxConnectionsExceeded)
"""The errors of a database that is unreachable, slow or out of connections. A later retry may succeed."""


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

    def usage(self) -> PoolUsage:
        """The size is 0, because the number of connections is not limited."""
        return PoolUsage(0, in_use=len(self._in_use), waiting=0)

    def slot(self) -> AbstractContextManager[Any]:
        return as_unavailable()

    def max_connections(self) -> int | None:
        """The limit of all processes together. SQLite has none."""
        return None

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

    def lock_tables(self, *_tables: type["Table"]) -> None:
        """Do nothing: there is only one write transaction at a time."""


UNDEFINED = {"42P01": "a table", "42703": "a column"}
"""The missing object, by PostgreSQL's error code."""
MISSING = (
    re.compile(r"no such (?P<kind>table|column): (?P<name>[\w.]+)"),
    re.compile(r"(?P<kind>relation|column) \"?(?P<name>[\w.]+)\"? (of relation \"\w+\" )?does not exist"),
    re.compile(r"table \w+ has no (?P<kind>column) named (?P<name>\w+)"),
)


def schema_problem(error: BaseException) -> str | None:
    """The table or column whose absence made a statement fail; None for other failures."""
    for pattern in MISSING:
        if found := pattern.match(str(error)):
            kind = found["kind"].replace("relation", "table")
            return f"the {kind} {found['name']} is missing; run flask db upgrade"
    # PostgreSQL's messages can be in another language.
    code = getattr(error.__cause__ or error.__context__, "pgcode", None)
    return f"{UNDEFINED[code]} is missing; run flask db upgrade" if code in UNDEFINED else None


SCHEMA_ERRORS = (peewee.ProgrammingError, peewee.OperationalError)
"""The errors that ``schema_problem`` may recognise, on PostgreSQL and on SQLite."""

database = peewee.DatabaseProxy()
"""The database of all models, set by ``open_database``."""


class Table(peewee.Model):
    """The base of every table."""

    class Meta:
        database = database
        legacy_table_names = False

    @classmethod
    def of_row(cls, values: dict[str, Any]) -> Self:
        """A stored row, as peewee makes one that it reads: the constructor takes 25 us for 46 fields."""
        row = cls(__no_default__=True)
        row.__data__ = values
        return row


def open_database(url: str, *, pool_size: int = POOL_SIZE) -> Sqlite | Postgres:
    """Bind the models to the database of this URL. It connects at the first use."""
    path = url.removeprefix("sqlite:///")
    opened = Sqlite(path) if path != url else Postgres(url, pool_size=pool_size)
    database.initialize(opened)
    return opened


@contextmanager
def reading() -> Iterator[None]:
    """Hold a connection for the block, or use the one that is open. Raises one of UNAVAILABLE."""
    if not database.is_closed():
        yield
        return
    # A request has a wait budget already; other code gets one for each block.
    with waiting.limit_waits(), database.slot(), database.connection_context():
        yield


@contextmanager
def writing() -> Iterator[None]:
    """Run the block in one write transaction, or as part of the one that is open.

    On SQLite this holds the write lock of the process, so a block must wait for nothing but the database.
    """
    if database.in_transaction():
        yield
        return
    with reading(), database.write_lock(), database.atomic():
        yield


@contextmanager
def repeatable_read(*, within_limit: bool = False) -> Iterator[None]:
    """Run the block's reads against one state of the database, however long they take.

    With ``within_limit``, for requests, each statement keeps its time limit.
    """
    with reading(), database.atomic(*database.repeatable_read_begin):
        if not within_limit:
            database.lift_statement_limit()
        yield
