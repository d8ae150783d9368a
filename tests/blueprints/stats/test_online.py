"""GET /stats/online: how many sockets are open."""

import pytest

from models.db.connection import database, writing
from models.processes import LIVE_MS, Process
from tests.harness.waiting import wait_until

pytestmark = pytest.mark.one_process


@pytest.fixture
def app(app):
    """An app whose process counts its sockets more often than every two seconds."""
    for task in app.extensions["realtime"].tasks:
        task.every_seconds = min(task.every_seconds, 0.02)
    return app


def test_the_sockets_of_players_and_spectators_are_counted(client, connect, alice):
    assert client.get("/stats/online").json == {"online": 0}

    connect(alice)
    connect()

    wait_until(lambda: client.get("/stats/online").json == {"online": 2})


@pytest.mark.both_databases("models/processes.py")
def test_the_sockets_of_all_live_processes_are_counted(app, client):
    with writing():
        for number, seen_at_ms in enumerate((database.now_ms, database.now_ms, database.now_ms - LIVE_MS)):
            Process.create(
                address=f"host:{number}", pool_size=1, sockets=3, redis="ok", seen_at_ms=seen_at_ms
            )

    assert client.get("/stats/online").json == {"online": 6}
