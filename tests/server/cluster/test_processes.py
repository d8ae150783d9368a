"""Which processes are live, and the connections that they may open together."""

import json

import pytest

from models.db.connection import database, writing
from services.shared.errors import Refusal
from tests.harness.waiting import wait_until
from tests.support.markers import postgresql_only

pytestmark = [
    pytest.mark.redis,
    postgresql_only,
]


@pytest.fixture
def status(make_app, redis):
    """Gives the processes that ``flask cluster status`` prints."""
    runner = make_app(REDIS_URL=redis.url).test_cli_runner()
    return lambda: json.loads(runner.invoke(args=["cluster", "status"]).stdout)["processes"]


def ports(processes):
    return [process["address"].rpartition(":")[2] for process in processes]


def test_each_process_is_listed_and_counts_the_live_ones(start, open_socket, status):
    (app, first), (other, _) = start(PORT="5001"), start(PORT="5002")
    open_socket(first)

    wait_until(lambda: [process["sockets"] for process in status()] == [1, 0])
    wait_until(lambda: [each.extensions["cluster"].processes.live for each in (app, other)] == [2, 2])
    wait_until(lambda: [process["redis"] for process in status()] == ["ok", "ok"])

    listed = status()
    assert ports(listed) == ["5001", "5002"]
    assert all(process["lag"] >= 0 and process["id"] >= 1 for process in listed)


def test_a_killed_process_is_unlisted_after_six_seconds(start, status):
    start(PORT="5001")
    with writing():
        database.execute_sql(
            "INSERT INTO processes"
            " (address, pool_size, redis, sockets, lag_ms, settings, untrusted_proxies, seen_at_ms)"
            " SELECT 'other:5002', 20, 'ok', 0, 0, '', FALSE,"
            " extract(epoch FROM clock_timestamp()) * 1000 - 6500"
        )

    assert ports(status()) == ["5001"]


def test_a_process_with_too_large_a_pool_does_not_start(make_app, redis):
    app = make_app(REDIS_URL=redis.url, DATABASE_POOL_SIZE="400")

    with pytest.raises(Refusal, match=r"^DATABASE_POOL_SIZE: .* \(1\) have 400 connections"):
        app.extensions["realtime"].start()


@pytest.mark.thorough
def test_a_process_with_other_settings_says_so_at_its_start(start, caplog):
    start(PORT="5001")
    changes = {
        "DATABASE_POOL_SIZE": "10",
        "SECRET_KEY": "a-secret-that-no-other-process-has-0123456789",
        "UPGRADER_PROOF_DELAY": "0.3",
    }

    differs = {}
    for port, (setting, value) in enumerate(changes.items(), start=5002):
        caplog.clear()
        start(PORT=str(port), **{setting: value})
        logged = "".join(record.getMessage() for record in caplog.records if record.levelname == "ERROR")
        differs[setting] = "the settings of this process differ" in logged and ":5001" in logged
        assert value not in logged

    assert differs == {"DATABASE_POOL_SIZE": False, "SECRET_KEY": True, "UPGRADER_PROOF_DELAY": True}
