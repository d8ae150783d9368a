"""A database with nothing in it."""

from contextlib import closing

import psycopg2


def empty_database(database_url, directory):
    """The URL of a database with nothing in it, of the same kind as this one of a test."""
    if database_url.startswith("sqlite"):
        return f"sqlite:///{directory}/empty.db"
    with closing(psycopg2.connect(database_url)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return database_url
