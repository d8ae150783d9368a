"""Commits are durable whatever the database server's settings are."""

from urllib.parse import urlsplit

import pytest

from models.db.connection import database, open_database, reading
from tests.harness.databases import administer
from tests.support.markers import postgresql_only, sqlite_only


@pytest.mark.guarantee("An answered commit")
@postgresql_only
def test_postgresql_commits_are_synchronous_whatever_the_server_setting(database_url):
    name = urlsplit(database_url).path[1:]
    administer(database_url, f'ALTER DATABASE "{name}" SET synchronous_commit = off')
    opened = open_database(database_url)

    with reading():
        [setting] = database.execute_sql("SHOW synchronous_commit").fetchone()

    opened.close_all()
    assert setting == "on"


@pytest.mark.guarantee("An answered commit")
@sqlite_only
def test_sqlite_commits_are_fully_synchronous(database_url):
    opened = open_database(database_url)

    with reading():
        [synchronous] = database.execute_sql("PRAGMA synchronous").fetchone()

    opened.close_all()
    # FULL, by SQLite's own numbers.
    assert synchronous == 2
