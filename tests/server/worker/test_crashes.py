"""A production server that is killed again and again during play breaks no promise."""

import pytest

from bench.harness.crashes.memory import Kind, Outcome
from bench.harness.crashes.storm import CrashStorm

pytestmark = pytest.mark.process

PLAYERS, SOCKETS = 6, 12


def test_a_killed_server_loses_no_money_seeds_or_proofs(app, env, tmp_path):
    storm = CrashStorm(app, env, tmp_path, players=PLAYERS, sockets=SOCKETS, seed="four kills")

    report = storm.rage(kills=2, worker_kills=2)

    assert report.problems == []
    assert report.counts[Kind.SPIN, Outcome.ACKNOWLEDGED] > PLAYERS
