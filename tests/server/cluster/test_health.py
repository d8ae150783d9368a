"""A process notices within five seconds that it is cut off from Redis, and recovers by itself."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from server.cluster import signals as redis_signals
from tests.harness.redis import redis_server
from tests.harness.servers import ROOT, threaded_server
from tests.harness.waiting import wait_until
from tests.support.apps import app_on

pytestmark = pytest.mark.redis

NOTICED_SECONDS = 5


@pytest.fixture(scope="module")
def redis():
    """A server of these tests alone, which they may pause and kill."""
    with redis_server() as server:
        yield server


@pytest.fixture
def app(two):
    return two[0][0]


@pytest.fixture
def settings(app):
    return app.extensions["services"].settings


@pytest.fixture
def signals(two):
    """The signals of both processes."""
    return [app.extensions["services"].signals for app, _ in two]


def ready(app):
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 200
    return answer.json["redis"]


def test_every_metric_of_redis_is_documented(app, settings):
    with app_on(replace(settings, redis_url="")) as without:
        names, names_without = [
            dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
            for text in (each.test_client().get("/metrics").text for each in (app, without))
        ]

    section = (ROOT / "docs" / "metrics.md").read_text().partition("With `REDIS_URL`")[2]
    documented = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.MULTILINE))
    added = names.items() - names_without.items()
    assert documented == {name: kind for name, kind in added if not name.endswith("_created")}


@pytest.mark.parametrize("fault", ["paused", pytest.param("away", marks=pytest.mark.thorough)])
def test_a_process_reports_missing_redis_quickly_and_recovers(app, signals, redis, fault, monkeypatch):
    first, second = signals

    def five_seconds_later():
        return max(each.heard_at for each in signals) + NOTICED_SECONDS

    heard = []
    second.on(fault, heard.append)
    before = ready(app)

    with getattr(redis, fault)(), monkeypatch.context() as patch:
        patch.setattr(redis_signals, "time", SimpleNamespace(monotonic=five_seconds_later))
        assert first.state == second.state == "away"
        during = ready(app)
        assert "\nredis_away 1.0\n" in app.test_client().get("/metrics").text

    wait_until(lambda: first.state == second.state == "ok")
    first.publish(fault, "after")
    wait_until(lambda: heard == ["after"])
    assert (before, during, ready(app)) == ("ok", "away", "ok")


@pytest.mark.thorough
def test_a_process_starts_without_redis_and_connects_later(settings, redis):
    with app_on(replace(settings, port=settings.port + 2)) as app:
        with redis.away():
            serving = threaded_server(app)
            serving.__enter__()
            assert ready(app) == "away"
        wait_until(lambda: ready(app) == "ok")
        serving.__exit__(None, None, None)
