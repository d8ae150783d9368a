"""What these tests have in common: calling /affiliate as a player, and players who own a code."""

import pytest

from models.database import writing
from models.users import User


@pytest.fixture
def set_code(client):
    """Sets a player's own code; status and body of the answer."""

    def call(player, code):
        answer = client.post("/affiliate/set-code", json={"code": code}, headers=player.headers)
        return answer.status_code, answer.json

    return call


@pytest.fixture
def use_code(client):
    """Uses a code as a player; status and body of the answer."""

    def call(player, code):
        answer = client.post("/affiliate/use-code", json={"code": code}, headers=player.headers)
        return answer.status_code, answer.json

    return call


@pytest.fixture
def stats(client):
    """The affiliate statistics of a player."""
    return lambda player: client.get("/affiliate/stats", headers=player.headers).json


@pytest.fixture
def overview(client):
    """The affiliate overview of a player."""
    return lambda player: client.get("/affiliate/overview", headers=player.headers).json


@pytest.fixture
def me(client):
    """What a player is told of themselves."""
    return lambda player: client.get("/auth/me", headers=player.headers).json


@pytest.fixture
def owner(new_player, set_code):
    """A player whose code is OWNER."""
    player = new_player("owner")
    set_code(player, "OWNER")
    return player


@pytest.fixture
def lose(app):
    """Lets a player have wagered so much, and won so much of it back, in cents."""

    def totals(player, wagered, earned=0):
        with writing():
            User.update(wagered_cents=wagered, earned_cents=earned).where(User.id == player.id).execute()

    return totals


@pytest.fixture
def pay(run):
    """Records a payment of a player: deposit or withdraw, and how many USD."""
    return lambda player, kind, usd: run("payments", "record", player.platform_id, kind, str(usd))


@pytest.fixture
def refer(new_player, use_code, owner):
    """Makes a player who used the owner's code."""

    def new(username="alice", **details):
        player = new_player(username, **details)
        use_code(player, "OWNER")
        return player

    return new
