"""Bringing the schema up to date: numbered files in ``migrations/``, each applied once."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playhouse.migrations import Runner

from models.database import Sqlite, Table, database, reading

DIRECTORY = Path(__file__).with_name("migrations")
ADVISORY_LOCK = 4_915_231_710_227


def upgrade() -> list[str]:
    """Apply what is pending, in order; returns the names applied.

    Safe to run twice, and by two processes at once: the second waits, then finds nothing to do.
    """
    with _only_one_process():
        return list(_runner().up())


def pending() -> list[str]:
    """The names of the migrations that this database still lacks."""
    with reading():
        return [migration.name for migration in _runner().status() if not migration.applied]


def look_at_tables() -> None:
    """Raise the database's error if a table is missing; the first of them is named in it."""
    names = [model._meta.table_name for model in Table.__subclasses__()]  # noqa: SLF001  # peewee's documented way
    nothing = [f'SELECT 1 FROM "{name}" WHERE 1 = 0' for name in names]  # noqa: S608  # names of our own
    with reading():
        database.execute_sql(" UNION ALL ".join(nothing))


def _runner() -> Runner:
    return Runner(database.obj, str(DIRECTORY))


@contextmanager
def _only_one_process() -> Iterator[None]:
    """Hold a connection, and the right to change the schema, for the block."""
    if isinstance(database.obj, Sqlite):
        with _file_lock(), reading():
            yield
    else:
        with reading(), _advisory_lock():
            yield


@contextmanager
def _file_lock() -> Iterator[None]:
    # Before the first connection: making a new file a WAL one takes SQLite's own lock without waiting for it.
    with Path(f"{database.database}.upgrade-lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _advisory_lock() -> Iterator[None]:
    # Waiting for another process to finish its upgrade may take longer than a statement may.
    database.execute_sql("SET statement_timeout = 0")
    database.execute_sql("SET lock_timeout = 0")
    database.execute_sql("SELECT pg_advisory_lock(%s)", (ADVISORY_LOCK,))
    try:
        yield
    finally:
        database.execute_sql("SELECT pg_advisory_unlock(%s)", (ADVISORY_LOCK,))
        database.execute_sql("RESET statement_timeout")
        database.execute_sql("RESET lock_timeout")
