"""Makes the schema of a new database, and upgrades that of the last release with ``migrations/``."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playhouse.migrations import Runner

from models.db.connection import Sqlite, Table, database, reading, writing
from models.new_database import create_schema

LAST_RELEASE = "0.2.0"
LAST_MIGRATION = "0012_price_schedule"
"""Its last migration, which new databases record too. The files up to it are deleted."""
LAST_RELEASE_COMMIT = "476bcee30158"
"""The last commit with these files only. It upgrades older databases."""
REPLACEMENT = "0013_since_0_2_0"
FIRST_REPLACED = "0013_balance_version"
LAST_REPLACED = "0031_seeds_without_index"
"""REPLACEMENT has replaced the migrations from FIRST_REPLACED to this one, and makes the same schema."""
LAST_REPLACED_COMMIT = "fba967842d42"
"""The last commit with the replaced files. It applies the rest of them."""

DIRECTORY = Path(__file__).parents[1] / "migrations"
ADVISORY_LOCK = 4_915_231_710_227


class NotUpgradable(Exception):
    """The database can be neither upgraded nor taken for a new one. ``str()`` says why."""


def upgrade() -> list[str]:
    """Create the schema in an empty database, or apply the pending migrations in order.

    Returns the names of the migrations that are recorded as applied by this. A second process waits for the
    first, then finds nothing to do. Raises NotUpgradable, and has changed nothing then.
    """
    with _only_one_process():
        runner = _runner()
        applied = runner.applied()
        if LAST_REPLACED in applied:
            return _replace_history(runner)
        if FIRST_REPLACED in applied:
            raise NotUpgradable(_upgrade_first(f"between {LAST_RELEASE} and 0.3.0", LAST_REPLACED_COMMIT))
        if LAST_MIGRATION in applied:
            if unknown := _unknown_migration(runner):
                raise NotUpgradable(unknown)
            return list(runner.up())
        if applied:
            raise NotUpgradable(_upgrade_first(f"before {LAST_RELEASE}", LAST_RELEASE_COMMIT))
        # An upgrade that was interrupted at its beginning has left an empty history.
        if set(database.get_tables()) - {runner.table_name}:
            raise NotUpgradable(
                f"the database is not empty and its version is unknown: {runner.table_name} has no rows"
            )
        return _create(runner)


def _upgrade_first(made: str, commit: str) -> str:
    return (
        f"the database is of a version {made}; upgrade it with the commit {commit} of this repository first"
    )


def _create(runner: Runner) -> list[str]:
    # In one transaction: after a crash the database is empty, and the next upgrade creates it.
    with writing():
        create_schema()
        recorded = list(runner.fake())
        runner.History.create(name=LAST_MIGRATION)
    return recorded


def _replace_history(runner: Runner) -> list[str]:
    """Record REPLACEMENT instead of what it has replaced, and apply the migrations after it."""
    with writing():
        runner.History.delete().where(runner.History.name > LAST_MIGRATION).execute()
        runner.fake(REPLACEMENT)
    return [REPLACEMENT, *runner.up()]


def problem() -> str | None:
    """Why the applied migrations are not those of this version; None if they are."""
    with reading():
        runner = _runner()
        if pending := [migration for migration in runner.status() if not migration.applied]:
            return f"migrations to apply: {len(pending)}; run flask db upgrade"
        return _unknown_migration(runner)


def _unknown_migration(runner: Runner) -> str | None:
    for migration in runner.status():
        if migration.path is None and migration.name > LAST_MIGRATION:
            return f"another version has applied the migration {migration.name}"
    return None


def check_tables() -> None:
    """Raise the database's error if a table is missing; the error names the first one."""
    names = [model._meta.table_name for model in Table.__subclasses__()]  # noqa: SLF001  # peewee's documented way
    nothing = [f'SELECT 1 FROM "{name}" WHERE 1 = 0' for name in names]  # noqa: S608  # constant names
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
    with database.obj.unlimited_statements():
        database.execute_sql("SELECT pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        try:
            yield
        finally:
            database.execute_sql("SELECT pg_advisory_unlock(%s)", (ADVISORY_LOCK,))
