"""Applies ``migrations/``, which make the schema. From 1.0 on a release has at most one more."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playhouse.migrations import Runner

from models.db.connection import Table, database, reading, writing
from models.db.new_connections import MisconfiguredDatabase
from models.db.sqlite import Sqlite

DIRECTORY = Path(__file__).parents[1] / "migrations"
FIRST = "0001_accounts"

BEFORE_1_0 = "the database is of a version before 1.0, which starts anew: make a new database"


def upgrade() -> list[str]:
    """Apply the pending migrations in order, in one transaction; returns their names.

    A second process waits for the first, then finds nothing to do. Raises MisconfiguredDatabase for a
    database that is neither empty nor of this version or one before it.
    """
    with _only_one_process():
        runner = _runner()
        if problem := _unknown_history(runner):
            raise MisconfiguredDatabase(problem)
        return list(runner.up())


def problem() -> str | None:
    """Why the applied migrations are not those of this version; None if they are."""
    with reading():
        runner = _runner()
        if unknown := _unknown_history(runner):
            return unknown
        pending = len(runner.migrations()) - len(runner.applied())
        return f"migrations to apply: {pending}; run flask db upgrade" if pending else None


def refuse_older() -> None:
    """Raise MisconfiguredDatabase for a database of a version before 1.0."""
    if problem() == BEFORE_1_0:
        raise MisconfiguredDatabase(BEFORE_1_0)


def check_tables() -> None:
    """Raise the database's error if a table is missing; the error names the first one."""
    names = [model._meta.table_name for model in Table.__subclasses__()]  # noqa: SLF001  # peewee's documented way
    nothing = [f'SELECT 1 FROM "{name}" WHERE 1 = 0' for name in names]  # noqa: S608  # constant names
    with reading():
        database.execute_sql(" UNION ALL ".join(nothing))


def _runner() -> Runner:
    return Runner(database.obj, str(DIRECTORY))


def _unknown_history(runner: Runner) -> str | None:
    """Why this version knows no way from the database's schema to its own; None if it does."""
    applied = runner.applied()
    if applied and FIRST not in applied:
        return BEFORE_1_0
    if not applied and set(database.get_tables()) - {runner.table_name}:
        return f"the database is not empty and its version is unknown: {runner.table_name} has no rows"
    unknown = sorted(applied.keys() - {migration.name for migration in runner.migrations()})
    return f"another version has applied the migration {unknown[0]}" if unknown else None


@contextmanager
def _only_one_process() -> Iterator[None]:
    """Hold the lock of schema changes and a transaction for the block."""
    if not isinstance(database.obj, Sqlite):
        with writing():
            # The wait for another process's upgrade may exceed the time limit of statements.
            database.lift_statement_limit()
            database.lock_name("schema")
            yield
        return
    with _file_lock(), reading():
        # SQLite ignores this within a transaction. A migration may replace a table that others refer to.
        database.pragma("foreign_keys", 0)
        try:
            with writing():
                yield
        finally:
            database.pragma("foreign_keys", 1)


@contextmanager
def _file_lock() -> Iterator[None]:
    # Taken before the first connection, which switches a new file to WAL and does not wait for SQLite's lock.
    with Path(f"{database.database}.upgrade-lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
