"""Cached responses of other processes. Here they do not expire in the time of a test."""

import pytest
import requests

from blueprints.api import caching
from services.accounts import profile
from services.shared.clock import now_ms
from tests.harness.players import create_player
from tests.harness.waiting import wait_until
from tests.support.table import Table

pytestmark = pytest.mark.redis


def test_changes_and_due_bets_show_in_another_process_at_once(two, monkeypatch):
    monkeypatch.setattr(caching, "MAX_SECONDS", 3600.0)
    (app, _), (_, another) = two

    def shown():
        bets = requests.get(f"{another}/stats/live-bets", timeout=10).json()["data"]["bets"]
        leaders = requests.get(f"{another}/leaderboard", timeout=10).json()
        return [bet["user"] for bet in bets], [leader["username"] for leader in leaders]

    alice = create_player(app, "alice")
    before = shown()

    Table(app).spin(alice)
    wait_until(lambda: shown() == (["alice"], ["ali***"]))
    profile.change_details(user_id=alice.id, username="carol", details={}, now=now_ms())
    wait_until(lambda: shown() == (["carol"], ["car***"]))

    assert before == ([], [])
