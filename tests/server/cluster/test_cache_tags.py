"""Cached responses of other processes. Here those of the other one do not expire in the time of a test."""

import pytest
import requests

from bench.harness.players import create_player
from bench.harness.servers import gunicorn
from bench.harness.waiting import wait_until
from services.accounts import personal_details
from services.shared.clock import now_ms
from tests.support.markers import postgresql_only
from tests.support.table import Table

pytestmark = [
    pytest.mark.redis,
    postgresql_only,
]


@pytest.fixture
def app(start):
    app, _ = start()
    return app


@pytest.fixture
def shown_by_another(app, env, redis, warm_start, tmp_path):
    """What another process answers: ``shown_by_another(path)``."""
    target = gunicorn("tests.support.changed_apps:long_cache()")
    with warm_start.server_process(target, env | {"REDIS_URL": redis.url}, tmp_path) as server:

        def shown(path):
            return requests.get(server.url + path, timeout=10).json()

        wait_until(lambda: shown("/readyz")["redis"] == "ok")
        yield shown


def test_changes_and_due_bets_show_in_another_process_at_once(app, shown_by_another):
    def shown():
        bets = shown_by_another("/stats/live-bets")["data"]["bets"]
        leaders = shown_by_another("/leaderboard")
        return [bet["user"] for bet in bets], [leader["username"] for leader in leaders]

    alice = create_player(app, "alice")
    before = shown()

    Table(app).spin(alice)
    wait_until(lambda: shown() == (["alice"], ["ali***"]))
    personal_details.change(user_id=alice.id, username="carol", details={}, now=now_ms())
    wait_until(lambda: shown() == (["carol"], ["car***"]))

    assert before == ([], [])
