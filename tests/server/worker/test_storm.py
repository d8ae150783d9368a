"""Forty players at once on the production server: money, nonces and locks."""

import pytest

from bench.harness.node import node
from bench.harness.servers import gunicorn
from models.bets import Bet
from models.db.connection import reading
from models.users import User

pytestmark = pytest.mark.process

PLAYERS = 40
SPINS_A_SOCKET = 4


@pytest.fixture
def storm(app, add_item, new_player, env, warm_start, tmp_path):
    """Forty players who spin from two sockets each, and what each was told."""
    item = add_item(price=10)
    players = [new_player(f"player{number}") for number in range(PLAYERS)]
    with warm_start.server_process(gunicorn(), env, tmp_path) as server:
        told = node(
            "storm.mjs",
            stdin={
                "address": server.url,
                "tokens": [player.token for player in players],
                "item": item,
                "amount": 5,
                "spinsPerSocket": SPINS_A_SOCKET,
            },
        )
    return list(zip(players, told, strict=True))


def test_a_storm_of_spins_loses_no_coin_or_nonce(storm, run):
    for player, told in storm:
        settled = told["won"] + told["lost"]
        with reading():
            balance = User.get_by_id(player.id).balance_cents
            nonces = [bet.nonce for bet in Bet.select().where(Bet.user == player.id).order_by(Bet.nonce)]
        assert settled + sum(told["refused"].values()) == 2 * SPINS_A_SOCKET
        assert set(told["refused"]) <= {"A spin is already in progress", "Insufficient balance"}
        assert sorted(told["nonces"]) == nonces == list(range(1, settled + 1))
        assert balance == 10_000 - 500 * settled + 100 * told["paid"]

    assert run("ledger", "audit")["mismatches"] == 0
    assert run("fairness", "audit")["mismatches"] == 0
