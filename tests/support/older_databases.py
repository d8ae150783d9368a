"""Databases with nothing in them, or with what version 0.2.0 left behind."""

import sqlite3
from pathlib import Path

import psycopg2

OLD = Path(__file__).parents[1] / "models" / "version_0_2_0"


def empty_database(database_url, directory):
    """The URL of a database with nothing in it, of the same kind as this one of a test."""
    if database_url.startswith("sqlite"):
        return f"sqlite:///{directory}/empty.db"
    _execute(database_url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return database_url


def database_of_0_2_0(database_url, directory, *, players=False):
    """The URL of a database that version 0.2.0 has made, with or without rows of players."""
    url = empty_database(database_url, directory)
    schema = "sqlite.sql" if url.startswith("sqlite") else "postgresql.sql"
    files = [schema, "first_rows.sql", *(["players.sql"] if players else [])]
    _execute(url, "".join((OLD / file).read_text() for file in files))
    return url


def _execute(url, script):
    path = url.removeprefix("sqlite:///")
    if path != url:
        connection = sqlite3.connect(path)
        connection.executescript(script)
    else:
        connection = psycopg2.connect(url)
        connection.cursor().execute(script)
        connection.commit()
    connection.close()
