"""A production server that is killed during play, and whose worker is killed, breaks no promise."""

import pytest

from tests.storms.crashes.storm import CrashStorm

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
