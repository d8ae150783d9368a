"""A process notices within five seconds that it is cut off from Redis, and recovers by itself."""

import logging
import re
import threading
import time

import pytest

from bench.harness.redis import redis_server
from bench.harness.servers import ROOT, threaded_server
from bench.harness.waiting import wait_until

pytestmark = [
    pytest.mark.redis,
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]

NOTICED_SECONDS = 5


@pytest.fixture
def redis():
    """A server of this test alone, which it may pause and kill."""
    with redis_server() as server:
        yield server


def signals_of(app):
    return app.extensions["services"].signals


def pause(server):
    server.pause()
    return server.resume


def kill(server):
    server.kill()
    return server.start


def test_a_process_tells_readyz_and_its_metrics_that_redis_is_away(start, redis):
    app, _ = start()
    client = app.test_client()
    before = client.get("/readyz")

    redis.kill()

    wait_until(lambda: signals_of(app).are_away)
    after = client.get("/readyz")
    assert [answer.status_code for answer in (before, after)] == [200, 200]
    assert [answer.json["redis"] for answer in (before, after)] == ["ok", "away"]
    assert "\nredis_away 1.0\n" in client.get("/metrics").text


def test_every_metric_of_redis_is_documented(app, start):
    app_with, _ = start()

    names = [
        dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
        for text in (each.test_client().get("/metrics").text for each in (app_with, app))
    ]

    section = (ROOT / "docs" / "metrics.md").read_text().partition("With `REDIS_URL`")[2]
    documented = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.MULTILINE))
    added = names[0].items() - names[1].items()
    assert documented == {name: kind for name, kind in added if not name.endswith("_created")}


@pytest.mark.parametrize("fault", [pause, kill])
def test_a_process_notices_within_five_seconds_that_redis_is_gone_and_recovers(start, redis, fault):
    (first, _), (second, _) = start(), start()
    heard = []
    signals_of(second).on("test", heard.append)

    recover = fault(redis)
    began = time.monotonic()
    wait_until(lambda: signals_of(first).are_away and signals_of(second).are_away)
    noticed = time.monotonic() - began
    recover()

    wait_until(lambda: not signals_of(first).are_away and not signals_of(second).are_away)
    signals_of(first).publish("test", "after")
    wait_until(lambda: heard == ["after"])
    assert noticed < NOTICED_SECONDS


def test_a_process_whose_subscription_is_cut_says_so_in_the_log_and_subscribes_again(start, redis, caplog):
    app, _ = start()
    caplog.set_level(logging.INFO, "platform.cluster")
    caplog.clear()
    logged_before = []
    signals_of(app).on_resumed.append(
        lambda: logged_before.append([text for text in caplog.messages if "redis" in text])
    )

    redis.client().client_kill_filter(_type="pubsub")

    wait_until(lambda: ["redis away", "redis connected"] in logged_before)


def test_a_process_starts_without_redis_and_hears_it_when_it_is_back(make_app, redis):
    redis.kill()
    app = make_app(REDIS_URL=redis.url)

    with threaded_server(app):
        assert app.test_client().get("/readyz").json == {"status": "ok", "redis": "away"}
        redis.start()
        wait_until(lambda: not signals_of(app).are_away)
        assert app.test_client().get("/readyz").json == {"status": "ok", "redis": "ok"}


def test_publishing_does_not_wait_while_redis_does_not_answer(start, redis):
    app, _ = start()
    redis.pause()
    publisher = signals_of(app).publisher

    for number in range(20_000):
        signals_of(app).publish("test", number)

    # Those that found the queue full. The others are dropped when the attempt to send them times out.
    assert publisher.dropped._value.get() > 0
    wait_until(lambda: publisher.dropped._value.get() + publisher.sent._value.get() == 20_000)
    redis.resume()


def test_interruptions_leave_neither_connections_nor_tasks_behind(start, redis):
    app, _ = start()
    tasks, connections = threading.active_count(), len(redis.client().client_list())

    for _ in range(3):
        redis.client().client_kill_filter(_type="pubsub")
        redis.client().client_kill_filter(_type="normal", skipme=True)
        wait_until(lambda: signals_of(app).are_away)
        wait_until(lambda: not signals_of(app).are_away)

    wait_until(lambda: len(redis.client().client_list()) == connections)
    assert threading.active_count() == tasks
