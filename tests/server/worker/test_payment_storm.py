"""Deposits and withdrawals while BTCPay, processes and PostgreSQL fail: nothing is paid twice or lost."""

from contextlib import contextmanager

import pytest

from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.cluster import PROCESSES
from tests.harness.durable_postgres import durable_postgres
from tests.harness.local_app import local_app
from tests.storms.payments.check_service import check_service
from tests.storms.payments.storm import PaymentStorm, StormClock, settings
from tests.support.apps import environment

pytestmark = pytest.mark.process

PLAYERS = 4
FAULTS = 4


@contextmanager
def storm(url, directory, warm_start, *, seed, database=None, **more):
    with FakeBtcPay(seed=seed) as fake, check_service(seed) as check:
        env = environment(url, directory) | settings(fake, check) | more
        clock = StormClock()
        with local_app(env, clock=clock) as app:
            yield PaymentStorm(
                app,
                env,
                clock=clock,
                fake=fake,
                check=check,
                players=PLAYERS,
                seed=seed,
                database=database,
                serve=warm_start.server_process,
            )


@pytest.mark.thorough
@pytest.mark.guarantee("A failing payment provider")
def test_a_storm_on_sqlite_loses_no_cent(sqlite_files, tmp_path, warm_start):
    with (
        sqlite_files.fresh(tmp_path) as url,
        storm(url, tmp_path, warm_start, seed="late faults") as weather,
    ):
        report = weather.endure(FAULTS, short=True)

    assert not report.problems, "\n".join(report.problems)
    assert report.counts["deposits answered"] > PLAYERS
    assert report.counts["pays at once"] > 0


@pytest.mark.thorough
@pytest.mark.redis
@pytest.mark.guarantee("A failing payment provider")
def test_a_storm_on_three_processes_and_postgresql_loses_no_cent(tmp_path, warm_start, redis):
    with durable_postgres() as database, database.fresh() as url:
        more = {"REDIS_URL": redis.url, "PROCESSES": str(PROCESSES), "DATABASE_POOL_SIZE": "8"}
        with storm(url, tmp_path, warm_start, seed="few faults", database=database, **more) as weather:
            report = weather.endure(FAULTS, short=True)

    assert not report.problems, "\n".join(report.problems)
    assert report.counts["deposits answered"] > PLAYERS
    assert report.counts["pays at once"] > 0
