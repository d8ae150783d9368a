"""Events of two production processes and a command at the same time: each is sealed once, in one chain."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import pytest
import requests

from bench.harness.cluster import cluster
from bench.harness.waiting import wait_until
from models.audit_trail import AuditEvent, AuditSeal
from models.db.connection import reading
from tests.conftest import create_player
from tests.support.apps import environment, fresh_app

pytestmark = [pytest.mark.redis, pytest.mark.parametrize("kind", ["postgresql"])]

PLAYERS, CHANGES = 4, 15


@pytest.fixture
def app(kind, postgres, tmp_path):
    with fresh_app(postgres, tmp_path) as app:
        yield app


@pytest.fixture
def urls(app, redis, tmp_path):
    """The addresses of the processes."""
    directory = tmp_path / "cluster"
    directory.mkdir()
    env = environment(app.extensions["services"].settings.database_url, directory)
    with cluster(env | {"REDIS_URL": redis.url}, directory, processes=2) as started:
        yield started.urls


def run(app, *arguments):
    result = app.test_cli_runner().invoke(args=list(arguments))
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout.splitlines()[-1])


def test_events_of_two_processes_at_once_are_sealed_once(app, urls):
    players = [create_player(app, f"player-{number}") for number in range(PLAYERS)]

    def change(player):
        for number, url in zip(range(CHANGES), cycle(urls), strict=False):
            body = {"clientSeed": f"seed-{number}"}
            answer = requests.put(f"{url}/profile/client-seed", json=body, headers=player.headers, timeout=30)
            assert answer.status_code == 200

    with ThreadPoolExecutor(PLAYERS) as pool:
        list(pool.map(change, players))
    run(app, "users", "create", "by-command", "--count", "20")
    wait_until(lambda: run(app, "audit", "verify")["unsealed"] == 0)

    with reading():
        events, sealed = AuditEvent.select().count(), set(AuditSeal.select(AuditSeal.event_id).scalars())
    assert events >= PLAYERS + PLAYERS * CHANGES + 20
    assert run(app, "audit", "verify") == {"sealed": events, "unsealed": 0, "problems": 0}
    assert len(sealed) == events
