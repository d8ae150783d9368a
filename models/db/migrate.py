"""Upgrades the schema: applies each numbered file of ``migrations/`` once."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playhouse.migrations import Runner

from models.db.connection import Sqlite, Table, database, reading

DIRECTORY = Path(__file__).parents[1] / "migrations"
ADVISORY_LOCK = 4_915_231_710_227


def upgrade() -> list[str]:
    """Apply the pending migrations in order; returns their names.

    A second process waits for the first, then finds nothing to do.
    """
    with _only_one_process():
        return list(_runner().up())


def pending() -> list[str]:
    """The names of the migrations that are not applied yet."""
    with reading():
        return [migration.name for migration in _runner().status() if not migration.applied]


def check_tables() -> None:
    """Raise the database's error if a table is missing; the error names the first one."""
    names = [model._meta.table_name for model in Table.__subclasses__()]  # noqa: SLF001  # peewee's documented way
    nothing = [f'SELECT 1 FROM "{name}" WHERE 1 = 0' for name in names]  # noqa: S608  # names of our own
    with reading():
        database.execute_sql(" UNION ALL ".join(nothing))


def _runner() -> Runner:
    return Runner(database.obj, str(DIRECTORY))


@contextmanager
def _only_one_process() -> Iterator[None]:
    """Hold a connection and the lock of schema changes for the block."""
    if isinstance(database.obj, Sqlite):
        with _file_lock(), reading():
            yield
    else:
        with reading(), _advisory_lock():
            yield


@contextmanager
def _file_lock() -> Iterator[None]:
    # Taken before the first connection, which switches a new file to WAL and does not wait for SQLite's lock.
    with Path(f"{database.database}.upgrade-lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _advisory_lock() -> Iterator[None]:
    # The wait for another process's upgrade may exceed the time limit of statements.
    database.execute_sql("SET statement_timeout = 0")
    database.execute_sql("SET lock_timeout = 0")
    database.execute_sql("SELECT pg_advisory_lock(%s)", (ADVISORY_LOCK,))
    try:
        yield
    finally:
        database.execute_sql("SELECT pg_advisory_unlock(%s)", (ADVISORY_LOCK,))
        database.execute_sql("RESET statement_timeout")
        database.execute_sql("RESET lock_timeout")
