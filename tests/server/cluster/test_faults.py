"""Players at three processes while processes, Redis and a clock fail.

No coin and no proof is lost, no spin is played twice, and every proof comes within ten seconds of being due.
``python -m bench.cluster`` does the same for longer.
"""

import pytest

from bench.harness.crashes.cluster_faults import LONGEST_DELAY_MS, ClusterFaults
from bench.harness.crashes.memory import Kind, Outcome
from bench.harness.crashes.storm import CrashStorm
from bench.harness.redis import redis_server

pytestmark = [
    pytest.mark.redis,
    pytest.mark.slow,
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]

PLAYERS, SOCKETS = 6, 12
NOTICED_SECONDS = 6
"""Longer than a process needs to notice that it no longer hears Redis."""


@pytest.fixture
def redis():
    """A server of this test alone, which may be killed."""
    with redis_server() as server:
        yield server


@pytest.fixture
def storm(make_app, env, redis, warm_start, tmp_path):
    env = env | {"REDIS_URL": redis.url, "PROCESSES": "3"}
    app = make_app(REDIS_URL=redis.url)
    return CrashStorm(
        app,
        env,
        tmp_path,
        players=PLAYERS,
        sockets=SOCKETS,
        seed="three processes",
        serve=warm_start.server_process,
    )


@pytest.fixture
def faults(storm, redis):
    return ClusterFaults(storm, redis)


@pytest.fixture
def endure(storm):
    """Lets players play during these faults; fails when something was lost."""

    def endure(*faults):
        report = storm.endure(faults, longest_delay_ms=LONGEST_DELAY_MS)
        assert report.problems == []
        assert report.counts[Kind.SPIN, Outcome.ACKNOWLEDGED] > PLAYERS

    return endure


def test_players_reconnect_elsewhere_when_their_process_is_killed(endure, faults):
    endure(*[lambda: faults.kill_a_process(every_seconds=1)] * 3)


def test_nothing_is_lost_while_redis_does_not_answer_is_gone_or_cuts_connections(endure, faults):
    endure(
        lambda: faults.pause_redis(NOTICED_SECONDS),
        faults.cut_subscribers,
        lambda: faults.kill_redis(NOTICED_SECONDS),
    )


def test_all_processes_can_be_restarted_in_turn_during_play(endure, faults):
    endure(faults.restart_each)


@pytest.mark.faketime
def test_a_process_on_a_machine_whose_clock_is_ahead_agrees_with_the_others(endure, faults):
    endure(lambda: faults.set_a_clock_ahead(seconds=4))
