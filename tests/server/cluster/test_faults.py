"""Players at three processes while processes, Redis and a clock fail.

No coin and no proof is lost, no spin is played twice, and every proof comes within ten seconds of being due.
``python -m tests.storms.cluster`` does the same for longer, and restarts all processes.
"""

import pytest

from tests.harness.redis import redis_server
from tests.storms.cluster import LONGEST_DELAY_MS, last, set_a_clock_ahead
from tests.storms.crashes.storm import CrashStorm
from tests.support.markers import postgresql_only

pytestmark = [
    pytest.mark.redis,
    pytest.mark.thorough,
    postgresql_only,
]

PLAYERS, SOCKETS = 3, 4
NOTICED_SECONDS = 4.5
"""Longer than a process needs to notice that it no longer hears Redis."""


@pytest.fixture
def redis():
    """A server of this test alone, which may be killed."""
    with redis_server() as server:
        yield server


@pytest.fixture
def storm(make_app, env, redis, warm_start):
    env = env | {"REDIS_URL": redis.url, "PROCESSES": "3"}
    app = make_app(REDIS_URL=redis.url)
    return CrashStorm(
        app,
        env,
        players=PLAYERS,
        sockets=SOCKETS,
        seed="three processes",
        serve=warm_start.server_process,
    )


@pytest.mark.guarantee("A killed process of several")
@pytest.mark.regulation("2.2 System clock")
@pytest.mark.faketime
def test_nothing_is_lost_while_processes_redis_and_a_clock_fail(storm, redis):
    steps = [
        storm.kill_server,
        lambda: last(redis.paused(), NOTICED_SECONDS),
        lambda: redis.cut_subscribers(len(storm.servers.processes)),
        lambda: last(redis.away(), NOTICED_SECONDS),
        # This also restarts a process twice in order, as a new release does.
        lambda: set_a_clock_ahead(storm.servers, seconds=2),
    ]

    report = storm.endure(steps, longest_delay_ms=LONGEST_DELAY_MS)

    assert report.problems == []
    assert report.counts["spin, acknowledged"] > PLAYERS
