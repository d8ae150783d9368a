"""Fixtures: requests to /affiliate, owners of codes and referred players."""

import pytest

from models.db.connection import writing
from models.users import User
from tests.harness.spins import play_spin
from tests.support.client_seeds import client_seed_that

RECEIVED = (200, {"status": True, "message": "You have received a bonus of 0.20 coins."})


def refused(text):
    return 400, {"status": False, "message": text}


@pytest.fixture
def set_code(send):
    """Sets a player's own code; status and body."""
    return lambda player, code: send(player, "POST", "/affiliate/set-code", {"code": code})


@pytest.fixture
def use_code(send):
    """Uses a code as a player; status and body."""
    return lambda player, code: send(player, "POST", "/affiliate/use-code", {"code": code})


@pytest.fixture
def stats(client):
    """The affiliate statistics of a player."""
    return lambda player: client.get("/affiliate/stats", headers=player.headers).json


@pytest.fixture
def overview(client):
    """The affiliate overview of a player."""
    return lambda player: client.get("/affiliate/overview", headers=player.headers).json


@pytest.fixture
def owner(new_player, set_code):
    """A player whose code is OWNER."""
    player = new_player("owner")
    set_code(player, "OWNER")
    return player


@pytest.fixture
def lose(app):
    """Sets the total wagers, all at an edge of 5 %, and payouts of a player, in cents."""

    def totals(player, wagered, earned=0):
        sums = {
            User.wagered_cents: wagered,
            User.earned_cents: earned,
            User.theoretical_loss_ucents: wagered * 50_000,
        }
        with writing():
            User.update(sums).where(User.id == player.id).execute()

    return totals


@pytest.fixture
def lose_a_bet(app, add_item):
    """Plays a spin of a player that is lost; the wager in whole coins."""
    item = add_item(price=100_000)

    def play(player, coins):
        seed = client_seed_that(False, app=app, player=player, wager=coins, price=100_000)
        play_spin(app, player, item, amount=coins, client_seed=seed)

    return play


@pytest.fixture
def pay(run):
    """Records a payment: the player, 'deposit' or 'withdraw', and USD."""
    return lambda player, kind, usd: run("payments", "record", player.platform_id, kind, str(usd))


@pytest.fixture
def refer(new_player, use_code, owner):
    """Creates a player who has used the owner's code."""

    def new(username="alice", **details):
        player = new_player(username, **details)
        use_code(player, "OWNER")
        return player

    return new
