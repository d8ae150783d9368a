"""The database behind one choice of DATABASE_URL, and the only three ways to use it.

``reading()`` borrows a connection, ``writing()`` adds a transaction, ``snapshot()`` gives many reads
one and the same state. Each is a context manager and a decorator, and joins what is already open, so
HTTP views, socket handlers, commands and background greenlets all need nothing else.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import peewee
from playhouse.pool import (
    MaxConnectionsExceeded,
    PooledPostgresqlDatabase,
    PooledSqliteDatabase,
)

from models.fair_slots import FairSlots

POOL_SIZE = 20
POOL_WAIT_SECONDS = 5
CONNECT_SECONDS = 4
STATEMENT_MS = 5_000
"""Together they stay below the ten seconds in which a request must be answered, database or not."""

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


class Postgres(PooledPostgresqlDatabase):  # type: ignore[misc]
    """PostgreSQL for production."""

    snapshot_begin = ("REPEATABLE READ",)

    def __init__(self, url: str) -> None:
        super().__init__(
            url,
            autoconnect=False,
            max_connections=POOL_SIZE,
            stale_timeout=300,
            connect_timeout=CONNECT_SECONDS,
            options=(
                # Money is kept here: an answered commit survives a crash, whatever the server is set to.
                "-c synchronous_commit=on"
                f" -c statement_timeout={STATEMENT_MS} -c lock_timeout={STATEMENT_MS}"
                " -c idle_in_transaction_session_timeout=60000 -c timezone=UTC"
            ),
        )

        # The pool's own wait is not in order: with 400 sockets connecting at once some starved.
        self._slots = FairSlots(POOL_SIZE)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """The right to one of the pool's connections. Raises MaxConnectionsExceeded after waiting in vain."""
        with ExitStack() as stack:
            try:
                stack.enter_context(self._slots.hold(timeout_seconds=POOL_WAIT_SECONDS))
            except TimeoutError:
                raise MaxConnectionsExceeded("no connection became free in time") from None
            yield

    def write_turn(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def lift_statement_limit(self) -> None:
        """Let the current transaction run for as long as it takes."""
        self.execute_sql("SET LOCAL statement_timeout = 0")

    def know_tables(self, *tables: type["Table"]) -> None:
        """Look at how much is in these tables now, for the planner.

        The server does so too, but up to a minute later, and until then reads a table of 34,500 rows whole
        to find 120 of them.
        """
        names = ", ".join(f'"{table._meta.table_name}"' for table in tables)  # noqa: SLF001  # peewee's own way
        self.execute_sql(f"ANALYZE {names}")


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


def cooperate_with_gevent() -> None:
    """Make psycopg2 yield to other greenlets while it waits, for as long as a statement may take.

    Without it one slow query stops the whole process. The wait is bounded here as well, because
    connect_timeout does not count once the waiting is ours, and a server that vanished never answers.
    """
    import psycopg2
    from psycogreen.gevent import gevent_wait_callback
    from psycopg2 import extensions

    def wait(connection: Any) -> None:
        connecting = connection.status == extensions.STATUS_SETUP
        limit = CONNECT_SECONDS if connecting else STATEMENT_MS / 1000 + 1
        try:
            gevent_wait_callback(connection, timeout=limit)
        except TimeoutError:
            raise psycopg2.OperationalError("timed out waiting for the server") from None

    extensions.set_wait_callback(wait)


@contextmanager
def reading() -> Iterator[None]:
    """Hold a connection for the block; the one that is open already when there is one.

    Raises one of UNAVAILABLE when none is to be had.
    """
    if not database.is_closed():
        yield
        return
    with database.slot():
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
