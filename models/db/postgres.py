"""PostgreSQL: the connection pool, and the limits on waiting for connections and answers."""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any, NamedTuple

import peewee
import psycopg2
from gevent.socket import wait_read, wait_write
from playhouse.pool import MaxConnectionsExceeded
from psycopg2 import extensions

from models.db import waiting
from models.db.new_connections import (
    CONNECT_SECONDS,
    NOT_PER_SESSION,
    STATEMENT_MS,
    Connection,
    ReadOnlyDatabase,
    RolledBack,
    UnusableDatabase,
    addresses,
    check_pooler,
    given_settings,
    set_up,
)
from models.db.waiting import FifoSemaphore

POOL_SIZE = 20
"""The default of DATABASE_POOL_SIZE."""

POOL_WAIT_SECONDS = 5
"""The limit on the wait for a connection in use. The wait budget (models/db/waiting.py) limits all waits."""

COMMIT_SECONDS = 0.5
"""The least wait budget with which a commit begins, so that its outcome is known in time."""

LONGEST_USE_SECONDS = 300
DROP_SECONDS = 1.0
"""A broken connection makes the pool drop the older ones, at most once in this time: a database that is only
slow is not kept busy with new connections."""
NAMES = 1936746863
"""The first key of the advisory locks of names."""

_peewee: Any = peewee
"""Peewee without its types, which lack what a pool needs."""


IN_RECOVERY = (
    "the database is in recovery: it is a replica, or its recovery is paused;"
    " promote it or let the recovery end (pg_wal_replay_resume)"
)
OTHER_DATABASE = "the address of the database leads to another one than this process uses"


def _acquire(slots: FifoSemaphore) -> None:
    """Take one of these slots. Raises MaxConnectionsExceeded if none becomes free in time."""
    if slots.acquire_free():
        return
    try:
        with waiting.wait(POOL_WAIT_SECONDS) as seconds:
            slots.acquire(seconds)
    except TimeoutError:
        raise MaxConnectionsExceeded("no connection became free in time") from None


@contextmanager
def _held(slots: FifoSemaphore) -> Iterator[None]:
    """Hold one of these slots for the block. Raises MaxConnectionsExceeded if none becomes free in time."""
    _acquire(slots)
    try:
        yield
    finally:
        slots.release()


REPORTED = {
    "25006": (ReadOnlyDatabase, "the database is read-only, and the server must write to it"),
    "40001": (RolledBack, "the database has rolled back a transaction because of concurrent ones (40001)"),
    "40P01": (RolledBack, "the database has rolled back a transaction to end a deadlock (40P01)"),
}
"""Errors and their texts by the codes of PostgreSQL."""


def as_unavailable(error: peewee.DatabaseError) -> peewee.DatabaseError:
    """OperationalError for a lost connection, a damaged file, and the errors of REPORTED; else the error."""
    code = getattr(error.__cause__ or error.__context__, "pgcode", None)
    if code in REPORTED:
        kind, text = REPORTED[code]
        return kind(text)
    # Errors that a statement reports are subclasses.
    return peewee.OperationalError(str(error)) if type(error) is peewee.DatabaseError else error


SEQUENCES = """
SELECT sequences.relname, tables.relname, columns.attname
FROM pg_depend
JOIN pg_class AS sequences ON sequences.oid = pg_depend.objid AND sequences.relkind = 'S'
JOIN pg_class AS tables ON tables.oid = pg_depend.refobjid
JOIN pg_attribute AS columns
    ON columns.attrelid = tables.oid AND columns.attnum = pg_depend.refobjsubid
WHERE pg_depend.classid = 'pg_class'::regclass AND tables.relnamespace = current_schema()::regnamespace
ORDER BY sequences.relname
"""
"""Each sequence, and the table and column that it numbers."""


class LateSequence(NamedTuple):
    """A sequence that is behind, as after logical replication, which does not copy them."""

    name: str
    table: str
    largest: int
    """The largest number in the table."""


class Postgres(_peewee.PostgresqlDatabase):  # type: ignore[misc]
    """PostgreSQL for production.

    Peewee's own pool holds a lock while it connects: when the server accepts connections but does not answer,
    all requests would wait one after the other. It also hands out idle connections that have been cut.
    """

    is_shared = True
    """Whether several processes may serve players from it."""
    repeatable_read_begin = ("REPEATABLE READ",)
    now_ms = _peewee.SQL("(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT")
    """The database's clock, in SQL."""
    began_ms = _peewee.SQL("(EXTRACT(EPOCH FROM statement_timestamp()) * 1000)::BIGINT")
    """When the statement arrived, by the same clock. What it reads is at least as new."""
    older = "it was restored, or a replica that lagged was promoted"
    """Why it may lack the last changes."""
    json_pairs = "json_each_text"
    """The function that makes a table of a JSON object, with the columns ``key`` and ``value``."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        self._idle: list[Connection] = []
        self._trusted_since = 0.0
        # The database that this process writes to, as SET_UP says, and those that it has left.
        self._used = ""
        self._left: set[str] = set()
        self._opened: set[Connection] = set()
        self._choosing = threading.Lock()
        super().__init__(
            url,
            autoconnect=False,
            connection_factory=Connection,
            connect_timeout=CONNECT_SECONDS,
            client_encoding="UTF8",
            # Those of the address and of PGOPTIONS are set with the own settings.
            options="",
        )
        # First come, first served: otherwise, when 400 sockets connected at once, some waited for seconds.
        self.pool_size = pool_size
        self._slots = FifoSemaphore(pool_size)
        # The other connections stay free for requests, and for the bets that are written together.
        self._single_bets = FifoSemaphore(max(pool_size * 3 // 5, 1))

    @property
    def in_use(self) -> int:
        """How many connections are in use."""
        return self.pool_size - self._slots.free

    @property
    def waiters(self) -> int:
        """How many callers wait for a connection."""
        return self._slots.waiting + self._single_bets.waiting

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold the right to one connection. Raises MaxConnectionsExceeded if none becomes free in time."""
        # Written out, because every use of the database passes here: context managers took longer.
        _acquire(self._slots)
        try:
            yield
        except peewee.DatabaseError as error:
            unavailable = as_unavailable(error)
            if isinstance(unavailable, ReadOnlyDatabase):
                # Sessions stay read-only after the database has become writable.
                self.leave_connections()
            if unavailable is error:
                raise
            raise unavailable from error
        finally:
            self._slots.release()

    @contextmanager
    def connection_for_single_bet(self) -> Iterator[None]:
        """Borrow a connection for a bet that may wait for locks. Raises MaxConnectionsExceeded."""
        with _held(self._single_bets), self.slot(), self.connection_context():
            yield

    def connect(self, reuse_if_open: bool = False) -> bool:  # noqa: FBT001, FBT002  # peewee's signature
        """Borrow a connection from the pool, or open one without making other requests wait."""
        if not self._state.closed:
            if reuse_if_open:
                return False
            raise peewee.OperationalError("Connection already opened.")
        with _peewee.__exception_wrapper__:
            connection = self._pop_good() or self._connect()
        self._admit(connection)
        self._state.set_connection(connection)
        return True

    def _connect(self) -> Any:
        connection = self._open()
        # The first connection to a database. A pooler does not know the number of the server's process.
        is_behind_pooler = connection.get_backend_pid() != int(connection.backend.split()[0])
        if is_behind_pooler and connection.leads_to != self._used:
            try:
                with closing(self._open()) as second:
                    check_pooler(connection, second)
            except BaseException:
                connection.close()
                raise
        return connection

    def _open(self) -> Connection:
        connection: Connection = self._adapter.connect(
            self, **self.connect_params, **addresses(self.database)
        )
        connection.autocommit = True
        try:
            set_up(connection, given_settings(self.database))
        except BaseException:
            connection.close()
            raise
        return connection

    def _admit(self, connection: Connection) -> None:
        """Refuse a connection to another database than the one that this process uses.

        The address may name two hosts, or lead to a replica that was promoted. This process changes to the
        other database when no connection to its own is open any more, and never back. Raises
        UnusableDatabase, also in recovery, which accepts no changes.
        """
        with self._choosing:
            if connection in self._opened:
                return
            self._opened = {each for each in self._opened if not each.closed}
            is_other = connection.leads_to != self._used
            problem = ""
            if connection.backend in {each.backend for each in self._opened}:
                problem = NOT_PER_SESSION
            elif not connection.leads_to:
                problem = IN_RECOVERY
            elif is_other and (self._opened or connection.leads_to in self._left):
                problem = OTHER_DATABASE
            if problem:
                connection.close()
                raise UnusableDatabase(problem)
            if is_other:
                self._left.add(self._used)
                self._used = connection.leads_to
            self._opened.add(connection)

    def execute_sql(self, *arguments: Any, **options: Any) -> Any:
        """Run the SQL. Raises OperationalError for lost answers that the driver takes for empty ones."""
        cursor = super().execute_sql(*arguments, **options)
        if cursor.statusmessage is None:
            raise peewee.OperationalError("the connection was lost")
        return cursor

    def run_script(self, script: str) -> None:
        """Run the statements of a migration."""
        self.execute_sql(script)

    def commit(self) -> Any:
        """Raises OperationalError, and commits nothing, when too little of the wait budget is left."""
        if waiting.seconds_left() < COMMIT_SECONDS:
            raise peewee.OperationalError("no time is left for a commit")
        return super().commit()

    def _pop_good(self) -> Connection | None:
        """An idle connection that works, the most recently used one first."""
        while (connection := self._pop()) is not None:
            if self._is_good(connection):
                return connection
            connection.close()
        return None

    def _pop(self) -> Connection | None:
        # Not checked for an empty list first: another thread may take the last connection.
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _is_good(self, connection: Connection) -> bool:
        if connection.opened_at <= max(self._trusted_since, time.monotonic() - LONGEST_USE_SECONDS):
            return False
        try:
            # An idle connection receives nothing but the server's last message. The first call may read it,
            # the second finds the end.
            connection.poll()
            connection.poll()
        except psycopg2.Error:
            return False
        return not connection.closed

    def _close(self, connection: Connection) -> None:
        """Return a connection to the pool if it can be used again."""
        if connection.closed:
            self._drop_older_connections()
        elif connection.get_transaction_status() == extensions.TRANSACTION_STATUS_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _drop_older_connections(self) -> None:
        """Drop all connections that are as old as a broken one: each could cost a request a long wait."""
        now = time.monotonic()
        if now - self._trusted_since > DROP_SECONDS:
            self._trusted_since = now

    def close_idle(self) -> None:
        """Close the idle connections."""
        while (connection := self._pop()) is not None:
            connection.close()

    def close_all(self) -> None:
        """Close the caller's connection and the idle ones."""
        self.close()
        self.close_idle()

    def max_connections(self) -> int:
        """The server's limit, for all clients together. To be used within ``reading()``."""
        (limit,) = self.execute_sql("SELECT current_setting('max_connections')::int").fetchone()
        return int(limit)

    def late_sequences(self) -> Iterator[LateSequence]:
        """Yield each sequence that would give a number a second time. To be used within ``reading()``."""
        for name, table, column in self.execute_sql(SEQUENCES).fetchall():
            largest, following = self.execute_sql(
                f'SELECT (SELECT COALESCE(MAX("{column}"), 0) FROM "{table}"),'  # noqa: S608  # names of the schema
                f' last_value + CAST(is_called AS INTEGER) FROM "{name}"'
            ).fetchone()
            if largest >= following:
                yield LateSequence(name, table, largest)

    def is_read_only(self) -> bool:
        """Whether it takes no writes. To be used within ``reading()``."""
        (answer,) = self.execute_sql("SHOW transaction_read_only").fetchone()
        return bool(answer == "on")

    def leave_connections(self) -> None:
        """Close the connections, those in use after it, because this machine uses another database now."""
        self._trusted_since = time.monotonic()
        self.close_idle()

    def identity(self) -> str:
        """A text that differs for a copy, and after a restore, a promotion or a point-in-time recovery.

        Its last word is the number of a table, which pg_restore makes again. To be used within ``reading()``.
        """
        (table,) = self.execute_sql("SELECT to_regclass('announced_seeds')::oid").fetchone()
        return f"{self.connection().leads_to} {table}"

    def leads_to(self, identity: str) -> bool:
        """Whether the connection in use leads to the database with this identity, without a question to it.

        To be used within ``reading()``.
        """
        return bool(identity.rpartition(" ")[0] == self.connection().leads_to)

    def write_lock(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def skip_while_locked(self) -> AbstractContextManager[Any]:
        """Do nothing: a statement that waits blocks no other greenlet."""
        return nullcontext()

    def lift_statement_limit(self) -> None:
        """Let the current transaction run, and wait for locks, for as long as it takes."""
        self.execute_sql(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;"
            " SET LOCAL idle_in_transaction_session_timeout = 60000"
        )

    def lock_name(self, name: str) -> None:
        """Let no other transaction lock this name before this one ends."""
        self.execute_sql("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (NAMES, name))

    def lock_tables(self, *tables: type[peewee.Model]) -> None:
        """Lock these tables, in this order, against writes of others until the transaction ends."""
        for table in tables:
            self.execute_sql(f'LOCK TABLE "{table._meta.table_name}" IN EXCLUSIVE MODE')  # noqa: SLF001  # peewee's own way


def cooperate_with_gevent() -> None:
    """Make psycopg2 yield to other greenlets while it waits, and limit the wait.

    Without this, one slow query blocks the whole process. psycopg2 ignores connect_timeout when it waits with
    a callback, and a server that vanished never answers.
    """
    waits = {extensions.POLL_READ: wait_read, extensions.POLL_WRITE: wait_write}

    def wait(connection: Any) -> None:
        connecting = connection.status == extensions.STATUS_SETUP
        with waiting.wait(CONNECT_SECONDS if connecting else STATEMENT_MS / 1000 + 1) as seconds:
            # One deadline for the whole answer, which may come in many pieces.
            deadline = time.monotonic() + seconds
            while (state := connection.poll()) != extensions.POLL_OK:
                try:
                    waits[state](connection.fileno(), timeout=max(deadline - time.monotonic(), 0.001))
                except TimeoutError:
                    raise psycopg2.OperationalError("timed out waiting for the server") from None

    extensions.set_wait_callback(wait)
