"""The database behind one choice of DATABASE_URL, and the only three ways to use it.

``reading()`` borrows a connection, ``writing()`` adds a transaction, ``snapshot()`` gives many reads
one and the same state. Each is a context manager and a decorator, and joins what is already open, so
HTTP views, socket handlers, commands and background greenlets all need nothing else.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import peewee
from playhouse.pool import MaxConnectionsExceeded, PooledSqliteDatabase

from models import patience
from models.postgres import STATEMENT_MS, Postgres

UNAVAILABLE = (peewee.OperationalError, peewee.InterfaceError, MaxConnectionsExceeded)
"""What is raised when the database is away, slow or out of connections: worth trying again later."""


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
        )
        # SQLite lets one writer in and makes the others poll. Within a process they queue here
        # instead, because a greenlet that polls inside SQLite stops all the others.
        self._write_turn = threading.Lock()

    def slot(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def write_turn(self) -> AbstractContextManager[Any]:
        return self._write_turn

    def lift_statement_limit(self) -> None:
        """Reads of SQLite have no time limit to lift."""

    def know_tables(self, *_tables: type["Table"]) -> None:
        """SQLite plans by the indexes alone."""


UNDEFINED_TABLE, UNDEFINED_COLUMN = "42P01", "42703"


def is_schema_behind(error: Exception) -> bool:
    """Whether a statement failed because a migration has not been applied."""
    code = getattr(error.__cause__ or error.__context__, "pgcode", None)
    return code in (UNDEFINED_TABLE, UNDEFINED_COLUMN) or str(error).startswith(
        ("no such table", "no such column")
    )


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
