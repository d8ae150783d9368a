"""A production server, its worker or its database is killed during play, and no promise is broken."""

import pytest

from tests.harness.databases import durable_postgres
from tests.storms.crashes.network import storm_network
from tests.storms.crashes.storm import CrashStorm
from tests.storms.crashes.witnesses import storm_witnesses

pytestmark = pytest.mark.process

PLAYERS, SOCKETS = 2, 4


@pytest.mark.guarantee("A killed server")
@pytest.mark.security("Coins")
@pytest.mark.regulation("4.16 Interrupted games")
def test_a_killed_server_loses_no_money_seeds_or_proofs(app, env, warm_start):
    serve = warm_start.server_process
    storm = CrashStorm(app, env, players=PLAYERS, sockets=SOCKETS, seed="two kills", serve=serve)

    report = storm.endure([storm.kill_server, storm.kill_worker])

    assert report.problems == []
    assert report.counts["spin, acknowledged"] > PLAYERS


@pytest.mark.thorough
@pytest.mark.guarantee("Every battle")
def test_each_battle_ends_once_and_as_the_log_says_although_the_server_is_killed(env, make_app, warm_start):
    with storm_network("battles") as network:
        env = env | network.settings
        app, serve = make_app(**network.settings), warm_start.server_process
        storm = CrashStorm(app, env, players=6, sockets=12, seed="battles", serve=serve, network=network)

        report = storm.endure([storm.kill_server] * 3)

    assert report.problems == []
    assert report.counts["seat, acknowledged"] > 0


@pytest.mark.thorough
@pytest.mark.guarantee("The public log")
def test_witnesses_follow_the_log_although_the_server_and_they_are_killed(
    env, make_app, warm_start, tmp_path
):
    with storm_witnesses("witnesses", tmp_path) as witnesses:
        env = env | witnesses.settings
        app, serve = make_app(**witnesses.settings), warm_start.server_process
        storm = CrashStorm(app, env, players=2, sockets=4, seed="kills", serve=serve, witnesses=witnesses)

        report = storm.endure([storm.kill_server] * 3)

    assert report.problems == []
    assert report.counts["moves of the witnessed checkpoint"] > 0


class TestDatabase:
    """PostgreSQL is killed; SQLite is nothing that runs."""

    @pytest.fixture
    def database(self):
        with durable_postgres() as server:
            yield server

    @pytest.fixture
    def database_url(self, database):
        with database.fresh() as url:
            yield url

    @pytest.mark.guarantee("A killed database")
    def test_a_killed_database_loses_nothing_and_the_server_recovers(self, app, env, database, warm_start):
        serve = warm_start.server_process
        storm = CrashStorm(app, env, players=PLAYERS, sockets=SOCKETS, seed="one kill", serve=serve)

        report = storm.endure([lambda: database.restart(0.2)])

        assert report.problems == []
        assert report.counts["spin, acknowledged"] > PLAYERS
