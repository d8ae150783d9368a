"""GET /bets/:id: the bet that a player shares, with everything that verifies it."""

import pytest

from services.bets import rolls
from tests.harness.spins import Clock, at
from tests.support.openings import Openings, chest
from tests.support.table import Table

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="6")

NOW = at("2026-03-18 12:00")
PROOF_DELAY_MS = 6_000


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def due(clock):
    """Lets the proof of a bet become due; returns the bet."""

    def wait(bet):
        clock.advance(ms=PROOF_DELAY_MS)
        return bet

    return wait


@pytest.fixture
def seed_of(app):
    return app.extensions["services"].seeds.of_bet


def not_found(answer):
    return (answer.status_code, answer.json) == (404, {"error": "Bet not found"})


@pytest.mark.regulation("4.14 Game recall")
def test_anybody_sees_a_spin_with_everything_that_verifies_it(client, app, player, due, seed_of):
    bet = due(Table(app).spin(player, wager=2, wins=True))

    assert client.get(f"/bets/{bet.id}").json == {
        "id": str(bet.id),
        "game": "upgrader",
        "algorithm": "upgrader-1",
        "user": "alice",
        "betAmount": 2,
        "payout": 10,
        "multiplier": 5,
        "status": "won",
        "completedAt": NOW + PROOF_DELAY_MS,
        "pf": {
            "serverSeedCommitment": bet.server_seed_commitment,
            "serverSeed": seed_of(bet),
            "clientSeed": bet.client_seed,
            "nonce": 1,
            "publicSeed": "",
            "round": 0,
        },
        "item": "Item of 10",
        "price": "$10.00",
        "houseEdge": 0.05,
        "threshold": 1_900_000,
        "roll": bet.roll,
        "chance": 19.0,
        "log": {"origin": "127.0.0.1:5000/log", "index": 1},
    }


@pytest.mark.regulation("2.8 Play information")
@pytest.mark.parametrize("game", ["case", "irl"])
def test_anybody_sees_an_opening_with_the_content_of_its_case(client, app, player, due, seed_of, game):
    content = chest("chest", price=5, items=(("Dust", 1, "66.6"), ("Crown", "40.5", "33.4")))
    bet = due(Openings(app).bet(player, content, game=game, wins="Dust"))

    shown = client.get(f"/bets/{bet.id}").json

    pf = shown.pop("pf")
    assert shown == {
        "id": str(bet.id),
        "game": game,
        "algorithm": f"{game}-1",
        "user": "alice",
        "betAmount": 5,
        "payout": 1,
        "multiplier": 0.2,
        "status": "lost",
        "completedAt": NOW + PROOF_DELAY_MS,
        "case": "chest",
        "item": "Dust",
        "ticket": str(bet.ticket),
        "snapshot": content.hash,
        "items": [
            {"name": "Crown", "price": "$40.50", "percentage": 33.4, "width": "334000000000000000"},
            {"name": "Dust", "price": "$1.00", "percentage": 66.6, "width": "666000000000000000"},
        ],
        "log": {"origin": "127.0.0.1:5000/log", "index": 1},
    }
    assert pf["serverSeed"] == seed_of(bet)
    assert bet.ticket == rolls.ticket(
        game=game, server_seed=pf["serverSeed"], client_seed=pf["clientSeed"], nonce=pf["nonce"]
    )


@pytest.mark.security("Fairness")
def test_a_bet_is_not_found_before_its_proof_is_due(client, app, player, clock):
    bet = Openings(app).bet(player)
    clock.advance(ms=PROOF_DELAY_MS - 1)

    assert not_found(client.get(f"/bets/{bet.id}"))
    assert not_found(client.get(f"/bets/{bet.id}", headers=player.headers))

    clock.advance(ms=1)
    assert client.get(f"/bets/{bet.id}").status_code == 200


def test_an_invalid_bet_id_is_not_found(client, app, player, due):
    due(Openings(app).bet(player))

    for bet_id in (
        *("0", "2", "01", "-1", "+1", "1.0", "1e0", "abc", "\u0661"),
        *(str(2**63 - 1), str(2**63), "9" * 5_000),
    ):
        assert not_found(client.get(f"/bets/{bet_id}")), bet_id
