"""Deposits and withdrawals while BTCPay, processes and PostgreSQL fail: nothing is paid twice or lost."""

import pytest

from tests.harness.cluster import PROCESSES
from tests.harness.databases import durable_postgres
from tests.storms.payments.storm import payment_storm
from tests.support.apps import environment

pytestmark = [
    pytest.mark.process,
    pytest.mark.thorough,
    pytest.mark.guarantee("A failing payment provider"),
]

PLAYERS = 4
FAULTS = 4


def assert_no_cent_is_lost(url, directory, warm_start, *, seed, database=None, **more):
    env, serve = environment(url, directory) | more, warm_start.server_process
    with payment_storm(env, seed=seed, players=PLAYERS, database=database, short=True, serve=serve) as storm:
        report = storm.endure(FAULTS)

    assert not report.problems, "\n".join(report.problems)
    assert report.counts["deposits answered"] > PLAYERS
    assert report.counts["pays at once"] > 0


def test_a_storm_on_sqlite_loses_no_cent(sqlite_files, tmp_path, warm_start):
    with sqlite_files.fresh(tmp_path) as url:
        assert_no_cent_is_lost(url, tmp_path, warm_start, seed="late faults")


@pytest.mark.redis
def test_a_storm_on_three_processes_and_postgresql_loses_no_cent(tmp_path, warm_start, redis):
    more = {"REDIS_URL": redis.url, "PROCESSES": str(PROCESSES), "DATABASE_POOL_SIZE": "8"}
    with durable_postgres() as database, database.fresh() as url:
        assert_no_cent_is_lost(url, tmp_path, warm_start, seed="few faults", database=database, **more)
