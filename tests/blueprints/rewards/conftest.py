"""Fixtures: a clock that the test sets, what a player's bets have cost, and requests to /rewards."""

import json

import pytest

from models.db.connection import writing
from models.users import User
from tests.blueprints.limits.conftest import NOW
from tests.blueprints.openings.conftest import case, irl_case, items, lucky, put, winning  # noqa: F401
from tests.harness.spins import Clock

NOTHING = (400, {"error": "There is nothing to claim"})
NOT_FOUND = (404, {"error": "Reward not found"})


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def settings():
    # The tokens outlast the breaks.
    return {"JWT_TTL": "315360000", "RAKEBACK_RATE": "0.1"}


@pytest.fixture
def has_bet(app, player):
    """Lets a player have bet so many coins in all, at an edge of 5 %."""

    def set_sums(coins, by=player):
        sums = {User.wagered_cents: coins * 100, User.theoretical_loss_ucents: coins * 100 * 50_000}
        with writing():
            User.update(sums).where(User.id == by.id).execute()

    return set_sums


@pytest.fixture
def rewards(send, player):
    """What the player is shown."""

    def shown():
        status, answer = send(player, "GET", "/rewards")
        assert (status, answer["success"]) == (200, True)
        return answer["data"]

    return shown


@pytest.fixture
def claim(send, player):
    """Claims a reward as the player; status and body."""
    return lambda id_="rakeback": send(player, "POST", f"/rewards/{id_}/claim")


@pytest.fixture
def gifts(run, fails, tmp_path):
    """Imports gifts of levels; what was printed."""

    def imported(*rows, command=run):
        path = tmp_path / "gifts.json"
        path.write_text(json.dumps(rows))
        return command("rewards", "import", str(path))

    return imported
