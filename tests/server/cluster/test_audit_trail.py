"""Events of two production processes and a command at the same time: each is logged once."""

from functools import partial
from itertools import cycle

import pytest
import requests

from models.audit_trail import AuditEvent
from models.db.connection import reading
from tests.harness.players import create_player
from tests.harness.waiting import wait_until
from tests.support.at_once import all_at_once

pytestmark = pytest.mark.redis

PLAYERS, CHANGES = 4, 15


@pytest.fixture
def app(gunicorn_app):
    return gunicorn_app


@pytest.mark.thorough
@pytest.mark.security("The audit trail")
def test_events_of_two_processes_at_once_are_logged_once(app, urls, run):
    players = [create_player(app, f"changing-{number}") for number in range(PLAYERS)]

    def change(player):
        for number, url in zip(range(CHANGES), cycle(urls), strict=False):
            body = {"clientSeed": f"seed-{number}"}
            answer = requests.put(f"{url}/profile/client-seed", json=body, headers=player.headers, timeout=30)
            assert answer.status_code == 200

    all_at_once([partial(change, player) for player in players])
    run("users", "create", "by-command", "--count", "20")
    wait_until(lambda: run("audit", "verify")["waiting"] == 0)

    with reading():
        events = AuditEvent.select().count()
    assert events >= PLAYERS + PLAYERS * CHANGES + 20
    assert run("audit", "verify") == {"logged": events, "waiting": 0, "problems": 0}
    assert len({line["id"] for line in run("audit", "export")[:-1]}) == events
