"""The database of DATABASE_URL, and the three ways to use it.

``reading()`` borrows a connection, ``writing()`` adds a transaction, ``repeatable_read()`` gives many reads
the same state. Each is a context manager and a decorator, and joins an outer one. HTTP views, socket
handlers, commands and background greenlets use nothing else; only bets have connections of their own on
PostgreSQL.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import peewee
from playhouse.pool import MaxConnectionsExceeded

from models.db import waiting
from models.db.postgres import POOL_SIZE, Postgres
from models.db.sqlite import Sqlite

UNAVAILABLE = (peewee.OperationalError, peewee.InterfaceError, MaxConnectionsExceeded)
"""The errors of a database that is unreachable, slow or out of connections. A later retry may succeed."""


UNDEFINED = {"42P01": "a table", "42703": "a column"}
"""The missing object, by PostgreSQL's error code."""
MISSING = (
    re.compile(r"no such (?P<kind>table|column): (?P<name>[\w.]+)"),
    re.compile(r"(?P<kind>relation|column) \"?(?P<name>[\w.]+)\"? (of relation \"\w+\" )?does not exist"),
    re.compile(r"table \w+ has no (?P<kind>column) named (?P<name>\w+)"),
)


def schema_problem(error: BaseException) -> str | None:
    """The table or column whose absence made a statement fail; None for other failures."""
    for pattern in MISSING:
        if found := pattern.match(str(error)):
            kind = found["kind"].replace("relation", "table")
            return f"the {kind} {found['name']} is missing; run flask db upgrade"
    # PostgreSQL's messages can be in another language.
    code = getattr(error.__cause__ or error.__context__, "pgcode", None)
    return f"{UNDEFINED[code]} is missing; run flask db upgrade" if code in UNDEFINED else None


SCHEMA_ERRORS = (peewee.ProgrammingError, peewee.OperationalError)
"""The errors that ``schema_problem`` may recognise, on PostgreSQL and on SQLite."""

database = peewee.DatabaseProxy()
"""The database of all models, set by ``open_database``."""


class Table(peewee.Model):
    """The base of every table."""

    class Meta:
        database = database
        legacy_table_names = False

    @classmethod
    def of_row(cls, values: dict[str, Any]) -> Self:
        """A stored row, as peewee makes one that it reads: the constructor takes 25 us for 46 fields."""
        row = cls(__no_default__=True)
        row.__data__ = values
        return row


def open_database(url: str, *, pool_size: int = POOL_SIZE) -> Sqlite | Postgres:
    """Bind the models to the database of this URL. It connects at the first use."""
    path = url.removeprefix("sqlite:///")
    opened = Sqlite(path) if path != url else Postgres(url, pool_size=pool_size)
    database.initialize(opened)
    return opened


@contextmanager
def reading() -> Iterator[None]:
    """Hold a connection for the block, or use the one that is open. Raises one of UNAVAILABLE."""
    opened = database.obj
    if not opened.is_closed():
        yield
        return
    # A request has a wait budget already; other code gets one for each block.
    with waiting.limit_waits(), opened.slot(), opened.connection_context():
        yield


@contextmanager
def writing() -> Iterator[None]:
    """Run the block in one write transaction, or as part of the one that is open.

    On SQLite this holds the write lock of the process, so a block must wait for nothing but the database.
    """
    if database.in_transaction():
        yield
        return
    with reading(), database.write_lock(), database.atomic():
        yield


@contextmanager
def repeatable_read(*, within_limit: bool = False) -> Iterator[None]:
    """Run the block's reads against one state of the database, however long they take.

    With ``within_limit``, for requests, each statement keeps its time limit.
    """
    with reading(), database.atomic(*database.repeatable_read_begin):
        if not within_limit:
            database.lift_statement_limit()
        yield
