"""Locks of the databases: a test holds some, and sees how many connections to PostgreSQL wait for them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg2

WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@contextmanager
def locked(database_url: str, statement: str, *parameters: object) -> Iterator[None]:
    """Hold the locks that this statement takes during the block."""
    with closing(psycopg2.connect(database_url)) as connection, connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        yield
        connection.rollback()


@contextmanager
def writers_held_up(database_url: str, statement: str, *parameters: object) -> Iterator[None]:
    """Hold the one write lock of SQLite, or the locks that this statement takes on PostgreSQL."""
    if not database_url.startswith("sqlite"):
        with locked(database_url, statement, *parameters):
            yield
        return
    path = database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.rollback()


def waiting_for_locks(database_url: str) -> int:
    """How many connections to this database wait for a lock."""
    with closing(psycopg2.connect(database_url)) as connection, connection.cursor() as cursor:
        cursor.execute(WAITING)
        (count,) = cursor.fetchone() or (0,)
    return int(count)
