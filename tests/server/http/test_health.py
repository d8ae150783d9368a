"""/healthz and /readyz: the state of the process and of its database."""

import re
from urllib.parse import urlsplit

import pytest
import requests

from models.db.connection import database, writing
from server.logs import JsonLines
from tests.harness.databases import administer
from tests.harness.servers import gunicorn
from tests.support.markers import postgresql_only

MISSING = "the table bets is missing; run flask db upgrade"
OUTDATED = "The database schema is not up to date"


@pytest.fixture
def outdated(app):  # the app has opened the database
    """A database whose schema has no history."""
    with writing():
        database.execute_sql("DELETE FROM schema_migration")


def test_a_process_with_a_current_database_is_healthy_and_ready(client):
    for path in ("/healthz", "/readyz"):
        answer = client.get(path)

        assert (answer.status_code, answer.json) == (200, {"status": "ok"}), path


@pytest.mark.usefixtures("outdated")
def test_a_process_with_an_old_schema_is_not_ready(client):
    healthy, ready = client.get("/healthz"), client.get("/readyz")

    assert (healthy.status_code, healthy.json) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json) == (503, {"error": OUTDATED})


@pytest.fixture
def without_bets(app):  # the app has opened the database
    """A database that lacks a table."""
    with writing():
        database.execute_sql("ALTER TABLE bets RENAME TO lost")


@pytest.mark.both_databases("its own words for a missing table")
@pytest.mark.usefixtures("without_bets")
def test_a_missing_table_is_named_by_readyz_and_in_the_log(client, player, caplog):
    ready, answer = client.get("/readyz"), client.get("/stats/games", headers=player.headers)

    (record,) = [record for record in caplog.records if record.name == "platform.errors"]
    assert (ready.status_code, ready.json) == (503, {"error": f"{OUTDATED}: {MISSING}"})
    assert (answer.status_code, answer.json) == (503, {"error": "The service is temporarily unavailable"})
    assert record.message == "database schema not up to date"
    assert MISSING in JsonLines().format(record)


# SQLite takes an unknown column in double quotes for a text.
@postgresql_only
def test_a_missing_column_is_named_in_the_log(client, player, caplog):
    with writing():
        database.execute_sql("ALTER TABLE users RENAME COLUMN trade_url TO lost")

    answer = client.get("/auth/me", headers=player.headers)

    (record,) = [record for record in caplog.records if record.name == "platform.errors"]
    assert answer.status_code == 503
    assert re.search(r"the column \S*trade_url is missing; run flask db upgrade", JsonLines().format(record))


@pytest.fixture
def read_only(env, app):  # the app has opened the database
    """A database that takes no changes from new connections."""
    name = urlsplit(env["DATABASE_URL"]).path[1:]
    database.obj.close_all()
    administer(env["DATABASE_URL"], f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    yield
    database.obj.close_all()
    administer(
        env["DATABASE_URL"],
        "SET default_transaction_read_only = off",
        f'ALTER DATABASE "{name}" RESET default_transaction_read_only',
    )


@pytest.mark.process
@postgresql_only
@pytest.mark.usefixtures("read_only")
def test_a_server_starts_on_a_read_only_database_and_is_not_ready(env, warm_start, tmp_path):
    """It must not end and be started again, for ever."""
    with warm_start.server_process(gunicorn(), env, tmp_path) as server:
        answer = requests.get(f"{server.url}/readyz", timeout=20)
        is_running = server.process.poll() is None

    assert (answer.status_code, answer.json()) == (503, {"error": "The database is read-only"})
    assert is_running
