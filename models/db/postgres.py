"""PostgreSQL: the connection pool, and the limits on waiting for connections and answers."""

import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import gevent
import peewee
import psycopg2
from gevent import monkey
from gevent.socket import wait_read, wait_write
from playhouse.pool import MaxConnectionsExceeded
from psycopg2 import extensions

from fifo_semaphore import FifoSemaphore
from models.db import waiting

POOL_SIZE = 20
"""The default of DATABASE_POOL_SIZE."""

POOL_WAIT_SECONDS = 5
CONNECT_SECONDS = 4
STATEMENT_MS = 5_000
"""Limits on single waits. The wait budget (models/db/waiting.py) limits their sum."""

COMMIT_SECONDS = 0.5
"""The least wait budget with which a commit begins, so that its outcome is known in time."""

LONGEST_USE_SECONDS = 300
DROP_SECONDS = 1.0
NAMES = 1936746863
"""The first key of the advisory locks of names."""
"""A broken connection makes the pool drop the older ones, at most once in this time: a database that is only
slow is not kept busy with new connections."""

IDENTITY = """
SELECT concat_ws(
    ' ',
    (SELECT system_identifier FROM pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    'announced_seeds'::regclass::oid
)
"""
"""The cluster, its timeline (changed by a promotion or a point-in-time recovery), the database, and the table
(created again by pg_restore)."""

_peewee: Any = peewee
"""Peewee without its types, which lack what a pool needs."""


@dataclass(frozen=True)
class PoolUsage:
    """The limit of connections, how many are in use, and how many callers wait for one."""

    size: int
    in_use: int
    waiting: int


@contextmanager
def _held(slots: FifoSemaphore) -> Iterator[None]:
    """Hold one of these slots for the block. Raises MaxConnectionsExceeded if none becomes free in time."""
    try:
        with waiting.wait(POOL_WAIT_SECONDS) as seconds:
            slots.acquire(seconds)
    except TimeoutError:
        raise MaxConnectionsExceeded("no connection became free in time") from None
    try:
        yield
    finally:
        slots.release()


@contextmanager
def as_unavailable() -> Iterator[None]:
    """Raise OperationalError for a lost connection to PostgreSQL, or a damaged file of SQLite."""
    try:
        yield
    except peewee.DatabaseError as error:
        # Errors that a statement reports are subclasses.
        if type(error) is peewee.DatabaseError:
            raise peewee.OperationalError(str(error)) from error
        raise


class _Connection(extensions.connection):  # type: ignore[misc]  # psycopg2 carries no types
    """A connection with the time when it was opened, and whether it has prepared the settling statement."""

    has_prepared = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.opened_at = time.monotonic()


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
    json_pairs = "json_each_text"
    """The function that makes a table of a JSON object, with the columns ``key`` and ``value``."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        self._idle: list[_Connection] = []
        self._trusted_since = 0.0
        super().__init__(
            url,
            autoconnect=False,
            connection_factory=_Connection,
            connect_timeout=CONNECT_SECONDS,
            options=(
                # An answered commit survives a crash, whatever the server's own setting is.
                "-c synchronous_commit=on"
                f" -c statement_timeout={STATEMENT_MS} -c lock_timeout={STATEMENT_MS}"
                # The locks of a process that has vanished are released soon.
                " -c idle_in_transaction_session_timeout=10000 -c timezone=UTC"
            ),
        )
        # First come, first served: otherwise, when 400 sockets connected at once, some waited for seconds.
        self.pool_size = pool_size
        self._slots = FifoSemaphore(pool_size)
        # The other connections stay free for requests. With 20 players PostgreSQL settled 1,770 spins a
        # second on twelve of twenty connections, and 1,550 on all: spins of one commit wait for each other.
        self._settling = FifoSemaphore(max(pool_size * 3 // 5, 1))

    def usage(self) -> PoolUsage:
        return PoolUsage(
            self.pool_size,
            in_use=self.pool_size - self._slots.free,
            waiting=self._slots.waiting + self._settling.waiting,
        )

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold the right to one connection. Raises MaxConnectionsExceeded if none becomes free in time."""
        with _held(self._slots), as_unavailable():
            yield

    @contextmanager
    def connection_for_bet(self) -> Iterator[Any]:
        """Borrow a connection to settle a bet. Raises MaxConnectionsExceeded if none becomes free in time."""
        with _held(self._settling), self.slot(), self.connection_context():
            yield self.connection()

    def connect(self, reuse_if_open: bool = False) -> bool:  # noqa: FBT001, FBT002  # peewee's signature
        """Borrow a connection from the pool, or open one without making other requests wait."""
        if not self._state.closed:
            if reuse_if_open:
                return False
            raise peewee.OperationalError("Connection already opened.")
        with _peewee.__exception_wrapper__:
            connection = self._pop_good() or self._connect()
        self._state.set_connection(connection)
        return True

    def _connect(self) -> Any:
        connection = self._adapter.connect(self, **self.connect_params, **_addresses(self.database))
        connection.autocommit = True
        return connection

    def execute_sql(self, *arguments: Any, **options: Any) -> Any:
        """Run the SQL. Raises OperationalError for lost answers that the driver takes for empty ones."""
        cursor = super().execute_sql(*arguments, **options)
        if cursor.statusmessage is None:
            raise peewee.OperationalError("the connection was lost")
        return cursor

    def commit(self) -> Any:
        """Raises OperationalError, and commits nothing, when too little of the wait budget is left."""
        if waiting.seconds_left() < COMMIT_SECONDS:
            raise peewee.OperationalError("no time is left for a commit")
        return super().commit()

    def _pop_good(self) -> _Connection | None:
        """An idle connection that works, the most recently used one first."""
        while (connection := self._pop()) is not None:
            if self._is_good(connection):
                return connection
            connection.close()
        return None

    def _pop(self) -> _Connection | None:
        # Not checked for an empty list first: another thread may take the last connection.
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _is_good(self, connection: _Connection) -> bool:
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

    def _close(self, connection: _Connection) -> None:
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

    def identity(self) -> str:
        """A text that differs for a copy, and after a restore, a promotion or a point-in-time recovery.

        To be used within ``reading()``. Empty if the role may not read it.
        """
        try:
            (found,) = self.execute_sql(IDENTITY).fetchone()
        except peewee.ProgrammingError:
            return ""
        return f"postgresql {found}"

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


def _addresses(url: str) -> dict[str, str]:
    """The addresses of the server's name. The driver's own lookup would block the whole process."""
    parts = extensions.parse_dsn(url)
    name = parts.get("host", "")
    if not name or name.startswith("/") or "," in name or "hostaddr" in parts:
        return {}
    try:
        found = _look_up(name)
    except OSError:
        raise psycopg2.OperationalError("the server's name can't be looked up") from None
    addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
    return {"host": ",".join([name] * len(addresses)), "hostaddr": ",".join(addresses)}


def _look_up(name: str) -> Any:
    if not monkey.is_module_patched("socket"):
        return socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    with waiting.wait(CONNECT_SECONDS) as seconds, gevent.Timeout(seconds, TimeoutError):
        return socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)


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
