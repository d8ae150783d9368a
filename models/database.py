"""The database behind one choice of DATABASE_URL, and the only three ways to use it.

``reading()`` borrows a connection, ``writing()`` adds a transaction, ``snapshot()`` gives many reads
one and the same state. Each is a context manager and a decorator, and joins what is already open, so
HTTP views, socket handlers, commands and background greenlets all need nothing else.
"""

import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import peewee
from playhouse.pool import MaxConnectionsExceeded, PooledSqliteDatabase

from models import patience
from models.postgres import STATEMENT_MS, Postgres

UNAVAILABLE = (peewee.OperationalError, peewee.InterfaceError, MaxConnectionsExceeded)
"""What is raised when the database is away, slow or out of connections: worth trying again later."""


class _SqliteConnection(sqlite3.Connection):
    """A connection that knows which file it has opened."""

    def __init__(self, path: str, *args: Any, **kwargs: Any) -> None:
        before = inode_of(path)
        super().__init__(path, *args, **kwargs)
        self.inode = before or inode_of(path)


def inode_of(path: str) -> int | None:
    """The number of the file at this path, another one after the file was replaced; None without a file."""
    try:
        return Path(path).stat().st_ino
    except OSError:
        return None


class Sqlite(PooledSqliteDatabase):  # type: ignore[misc]  # peewee carries no types
    """SQLite for development and small installations."""

    snapshot_begin = ("DEFERRED",)

    def __init__(self, path: str) -> None:
        super().__init__(
            path,
            autoconnect=False,
            max_connections=None,
            # Under gevent a pooled connection moves between greenlets of one thread, under
            # `flask run` between threads; never two at once.
            check_same_thread=False,
            pragmas={
                "journal_mode": "wal",
                "foreign_keys": 1,
                "busy_timeout": STATEMENT_MS,
                # Money is kept here: a commit that was answered survives a power cut.
                "synchronous": "full",
            },
            lock_type="IMMEDIATE",
            factory=_SqliteConnection,
        )
        # SQLite lets one writer in and makes the others poll. Within a process they queue here
        # instead, because a greenlet that polls inside SQLite stops all the others.
        self._write_turn = threading.Lock()

    def _connect(self) -> Any:
        # SQLite gives a new file, and the -wal and -shm files beside it, to everybody who may read.
        with suppress(OSError):
            os.close(os.open(self.database, os.O_CREAT | os.O_EXCL, 0o600))
        return super()._connect()

    def slot(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def identity(self) -> str:
        """Tells the file from another one that takes its place."""
        return f"sqlite {inode_of(self.database)}"

    def _is_closed(self, conn: _SqliteConnection) -> bool:
        """Whether a pooled connection can't be used again: also when the file has been replaced."""
        if super()._is_closed(conn):
            return True
        if conn.inode == inode_of(self.database):
            return False
        conn.close()
        return True

    def write_turn(self) -> AbstractContextManager[Any]:
        return self._write_turn

    def lift_statement_limit(self) -> None:
        """Reads of SQLite have no time limit to lift."""

    def lock_tables(self, *_tables: type["Table"]) -> None:
        """A write transaction is the only one already."""

    def know_tables(self, *_tables: type["Table"]) -> None:
        """SQLite plans by the indexes alone."""


UNDEFINED = {"42P01": "a table", "42703": "a column"}
"""PostgreSQL's codes."""
MISSING = (
    re.compile(r"no such (?P<kind>table|column): (?P<name>[\w.]+)"),
    re.compile(r"(?P<kind>relation|column) \"?(?P<name>[\w.]+)\"? (of relation \"\w+\" )?does not exist"),
    re.compile(r"table \w+ has no (?P<kind>column) named (?P<name>\w+)"),
)


def schema_problem(error: BaseException) -> str | None:
    """Which table or column a statement failed for want of; None for a failure of another kind."""
    for pattern in MISSING:
        if found := pattern.match(str(error)):
            kind = found["kind"].replace("relation", "table")
            return f"the {kind} {found['name']} is missing: flask db upgrade"
    # A server whose messages are in another language.
    code = getattr(error.__cause__ or error.__context__, "pgcode", None)
    return f"{UNDEFINED[code]} is missing: flask db upgrade" if code in UNDEFINED else None


SCHEMA_ERRORS = (peewee.ProgrammingError, peewee.OperationalError)
"""What ``schema_problem`` can say something about: PostgreSQL's and SQLite's."""

database = peewee.DatabaseProxy()
"""What all models are bound to; ``open_database`` says which one it is."""


class Table(peewee.Model):
    """The base of every table."""

    class Meta:
        database = database
        legacy_table_names = False


def open_database(url: str) -> Sqlite | Postgres:
    """Point the models at the database of this URL. Connects only when it is first used."""
    path = url.removeprefix("sqlite:///")
    opened = Sqlite(path) if path != url else Postgres(url)
    database.initialize(opened)
    return opened


@contextmanager
def reading() -> Iterator[None]:
    """Hold a connection for the block; the one that is open already when there is one.

    Raises one of UNAVAILABLE when none is to be had.
    """
    if not database.is_closed():
        yield
        return
    # A request has a patience of its own; what runs beside requests gets one for each block.
    with patience.one_answer(), database.slot():
        database.connect()
        try:
            yield
        finally:
            database.close()


@contextmanager
def writing() -> Iterator[None]:
    """Run the block in one write transaction, or as part of the one that is open already.

    On SQLite writers of one process take turns; a block must not wait for anything but the database.
    """
    if database.in_transaction():
        yield
        return
    with reading(), database.write_turn(), database.atomic():
        yield


@contextmanager
def snapshot(*, within_limit: bool = False) -> Iterator[None]:
    """Run the block's reads against one state of the database, however long they take.

    ``within_limit`` is for a request: there no statement may take longer than statements may.
    """
    with reading(), database.atomic(*database.snapshot_begin):
        if not within_limit:
            database.lift_statement_limit()
        yield
