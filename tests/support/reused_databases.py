"""Databases of a PostgreSQL server that tests use one after the other.

To reset a database takes a third of the time of making one: 0.1 s instead of 0.25 s for each test.
"""

import io
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import psycopg2

from tests.harness.databases import PostgresServer, postgres_url

# This changes with every table, column, index, constraint, trigger, rule or function.
SHAPE = """
SELECT
    (SELECT array_agg((c.oid, c.relname, c.relfilenode, c.relchecks, c.reloptions) ORDER BY c.oid)
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace)::text,
    (SELECT (count(*), sum(xmin::text::bigint)) FROM pg_attribute WHERE attrelid >= 16384)::text,
    (SELECT (count(*), sum(xmin::text::bigint)) FROM pg_constraint WHERE oid >= 16384)::text,
    (SELECT (count(*), sum(xmin::text::bigint)) FROM pg_trigger)::text,
    (SELECT (count(*), sum(xmin::text::bigint)) FROM pg_rewrite WHERE oid >= 16384)::text,
    (SELECT (count(*), sum(xmin::text::bigint)) FROM pg_proc WHERE oid >= 16384)::text,
    (SELECT count(*) FROM pg_namespace)::text
"""
"""PostgreSQL numbers its own objects below 16384."""

# Otherwise the plans of a test would depend on earlier tests. Each import of items analyses its table.
FORGET_STATISTICS = """
UPDATE pg_class SET relpages = 0, reltuples = -1, relallvisible = 0
WHERE relnamespace = 'public'::regnamespace AND reltuples >= 1;
DELETE FROM pg_statistic WHERE starelid >= 16384;
"""

SIZE = """
SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""
GROWN_BYTES = 4 * 1024 * 1024
"""Deleted rows still take space and time."""

OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"


class Reset:
    """Restores databases to the content of a new one. Keeps one connection to each of them."""

    def __init__(self, url: str) -> None:
        self._kept: dict[str, psycopg2.extensions.connection] = {}
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            self._shape = _answer(cursor, SHAPE)
            (self._size,) = _answer(cursor, SIZE)
            cursor.execute(TABLES)
            tables = [table for (table,) in cursor.fetchall()]
            self._rows = {table: rows for table in tables if (rows := _rows(cursor, table))}
            cursor.execute(SEQUENCES)
            sequences = cursor.fetchall()
            deletes = [f'DELETE FROM "{table}"' for table in tables]  # noqa: S608
            restarts = [
                f"SELECT setval('{sequence}', {last or 1}, {last is not None})"
                for sequence, last in sequences
            ]
            self._statements = FORGET_STATISTICS + ";".join(deletes + restarts)

    def reset(self, url: str) -> bool:
        """Restore a database, and end all its sessions. Returns False if a new database is needed."""
        try:
            return self._restored(url)
        except (psycopg2.OperationalError, psycopg2.InterfaceError):
            # A test has ended all connections, or replaced the database.
            return False

    def forget(self, url: str) -> None:
        """Close the connection to a database."""
        if url in self._kept:
            self._kept.pop(url).close()

    def _restored(self, url: str) -> bool:
        if url not in self._kept:
            self._kept[url] = psycopg2.connect(url)
            with self._kept[url].cursor() as cursor:
                # No foreign key and no trigger is looked at; all tables are emptied.
                cursor.execute("SET session_replication_role = replica")
        connection = self._kept[url]
        with connection, connection.cursor() as cursor:
            cursor.execute(OTHERS)
            (size,) = _answer(cursor, SIZE)
            if _answer(cursor, SHAPE) != self._shape or size > self._size + GROWN_BYTES:
                return False
            cursor.execute(self._statements)
            for table, rows in self._rows.items():
                cursor.copy_expert(f'COPY "{table}" FROM STDIN', io.StringIO(rows))
        return True


def _answer(cursor, question):
    cursor.execute(question)
    return cursor.fetchone()


def _rows(cursor, table):
    text = io.StringIO()
    cursor.copy_expert(f'COPY "{table}" TO STDOUT', text)
    return text.getvalue()


class ReusedDatabases(PostgresServer):
    """Its databases are used again if possible."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._new = Reset(self._named(self._template))
        self._used: list[str] = []

    @contextmanager
    def fresh(self, _directory: Path | None = None) -> Iterator[str]:
        name = self._used.pop() if self._used else self._create()
        try:
            yield self._named(name)
        finally:
            if self._new.reset(self._named(name)):
                self._used.append(name)
            else:
                self._drop(name)

    def close(self) -> None:
        for name in self._used:
            self._drop(name)
        super().close()

    def _drop(self, name: str) -> None:
        self._new.forget(self._named(name))
        super()._drop(name)


@contextmanager
def reused_databases(url: str | None = None) -> Iterator[ReusedDatabases]:
    """Databases of the server at this URL, or of a new one."""
    with nullcontext(url) if url else postgres_url() as found:
        server = ReusedDatabases(found)
        yield server
        server.close()


def empty_database(database_url, directory):
    """The URL of a database with nothing in it, of the same kind as this one of a test."""
    if database_url.startswith("sqlite"):
        return f"sqlite:///{directory}/empty.db"
    with closing(psycopg2.connect(database_url)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return database_url
