"""Whether the process and its database say that they are well."""

import pytest

from models.database import database, writing

OUTDATED = "The database schema is not up to date"


@pytest.fixture
def outdated(app):  # the app has opened the database
    """A database that an older version left behind."""
    with writing():
        database.execute_sql("DELETE FROM schema_migration")


def test_a_process_that_answers_is_healthy(client):
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json) == (200, {"status": "ok"})


def test_a_process_with_a_database_that_is_up_to_date_is_ready(client):
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json) == (200, {"status": "ok"})


@pytest.mark.usefixtures("outdated")
def test_a_process_with_an_outdated_schema_is_not_ready(client):
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json) == (503, {"error": OUTDATED})


@pytest.mark.usefixtures("outdated")
def test_a_process_with_an_outdated_schema_is_healthy(client):
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json) == (200, {"status": "ok"})
