"""Faults of the network to the database: clear answers, and nothing lost."""

import pytest

from tests.harness.fault_proxy import HALF, RESET, STALL, before_postgres, latency, slices
from tests.harness.servers import gunicorn
from tests.storms.faults.routes import Outcome
from tests.storms.faults.storm import FaultStorm
from tests.support.markers import postgresql_only

pytestmark = [pytest.mark.process, postgresql_only]


@pytest.mark.thorough
@pytest.mark.guarantee("Faults around the server")
@pytest.mark.security("Faults around the server")
def test_network_faults_to_the_database_lose_nothing(app, env, database_url, warm_start, tmp_path):
    with (
        before_postgres(database_url) as (proxy, address),
        warm_start.server_process(gunicorn(), env | {"DATABASE_URL": address}, tmp_path) as server,
    ):
        storm = FaultStorm(app, server.url)
        storm.begin()
        results = [
            storm.run("latency", proxy.being(latency(0.05)), seconds=1.5),
            storm.run("slices", proxy.being(slices(0.005)), seconds=1.5),
            storm.run("half answers", proxy.being(HALF), seconds=1),
            storm.run("reset", proxy.being(RESET), seconds=1),
            storm.run("stall", proxy.being(STALL), seconds=12),
        ]
        problems = storm.end()

    assert [line for result in results for line in result.wrong] + problems == []
    refused = {result.name for result in results if result.outcomes[Outcome.REFUSED]}
    assert refused >= {"half answers", "reset", "stall"}
