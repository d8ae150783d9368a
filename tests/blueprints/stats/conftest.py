"""Fixtures: a clock, spins at its time, and requests for statistics."""

import pytest

from tests.harness.spins import Clock
from tests.support.table import Table

NOW = 1_700_000_000_123
PROOF_DELAY_MS = 6000


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def settings():
    # Tokens that outlive the months that pass here.
    return {"UPGRADER_PROOF_DELAY": "6", "JWT_TTL": "315360000"}


@pytest.fixture
def alice(new_player):
    return new_player("alice", coins=100_000)


@pytest.fixture
def bob(new_player):
    return new_player("bob", coins=100_000)


@pytest.fixture
def spin(app):
    """Plays one spin: ``spin(player, wager="1", price=10, wins=False)``."""
    return Table(app).spin


@pytest.fixture
def ask(client):
    """Requests a list or the totals, with a player's token or none, and returns the JSON."""

    def get(path, player=None, **parameters):
        headers = player.headers if player else {}
        answer = client.get(f"/stats/{path}", query_string=parameters, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json

    return get
