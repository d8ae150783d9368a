"""PostgreSQL is killed during play: nothing is lost, and the server recovers with it."""

import pytest

from tests.harness.databases import durable_postgres
from tests.storms.crashes.storm import CrashStorm

pytestmark = pytest.mark.process

PLAYERS, SOCKETS = 2, 4


@pytest.fixture
def database():
    with durable_postgres() as server:
        yield server


@pytest.fixture
def database_url(database):
    """One that may be killed; SQLite is nothing that runs."""
    with database.fresh() as url:
        yield url


@pytest.mark.guarantee("A killed database")
def test_a_killed_database_loses_nothing_and_the_server_recovers(app, env, database, warm_start):
    serve = warm_start.server_process
    storm = CrashStorm(app, env, players=PLAYERS, sockets=SOCKETS, seed="one kill", serve=serve)

    report = storm.endure([lambda: database.restart(0.2)])

    assert report.problems == []
    assert report.counts["spin, acknowledged"] > PLAYERS
