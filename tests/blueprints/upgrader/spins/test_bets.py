"""GET /upgrader/bets/:nonce: a player's bet with everything that verifies it."""

import pytest

from models.db.connection import database, reading
from tests.harness.waiting import wait_until
from tests.support.openings import Openings


@pytest.fixture
def settled(connect, player, item, winning):
    """A bet that was won and whose proof is due."""
    socket = connect(player)
    socket.spin({"amount": 1, "item": item, "clientSeed": winning()})
    return socket.expect("upgrader:proof")


@pytest.mark.regulation("2.8 Play information")
def test_a_bet_shows_everything_that_decided_it(client, player, item, settled, add_item):
    # Later prices do not change it.
    add_item(price=99)

    bet = client.get("/upgrader/bets/1", headers=player.headers).json

    assert bet == {
        "id": bet["id"],
        "game": "upgrader",
        "betAmount": 1,
        "payout": 10,
        "status": "won",
        "completedAt": bet["completedAt"],
        "pf": settled | {"publicSeed": "", "round": 0},
        "item": item,
        "price": "$10.00",
        "houseEdge": 0.05,
        "threshold": 950_000,
        "roll": bet["roll"],
        "chance": 9.5,
    }
    assert isinstance(bet["id"], str)
    assert bet["roll"] < bet["threshold"]


@pytest.mark.both_databases("services/bets/lookups.py")
def test_other_bets_are_not_found(app, client, player, new_player, settled):
    bob = new_player("bob")
    Openings(app).bet(player)

    for nonce, asking in ((1, bob), (2, player), *((nonce, player) for nonce in (0, 3, 2**63, 10**40))):
        answer = client.get(f"/upgrader/bets/{nonce}", headers=asking.headers)
        assert (answer.status_code, answer.json) == (404, {"error": "Bet not found"}), nonce


def test_a_nonce_consists_of_ascii_digits(client, player, settled):
    for nonce in ("\u0967", "\uff11", "\u00b9", "1\u0967", "-1", "+1", "1.0", "1_0", "9" * 5_000):
        assert client.get(f"/upgrader/bets/{nonce}", headers=player.headers).status_code == 404, nonce


@pytest.mark.both_databases("services/maintenance/fairness_audit.py")
@pytest.mark.regulation("4.6 Fairness of games")
def test_the_fairness_audit_catches_a_changed_and_a_missing_bet(run, fails, settled):
    wait_until(lambda: run("fairness", "audit")["mismatches"] == 0)
    with reading():
        database.execute_sql("UPDATE bets SET roll = roll + 1")

    assert fails("fairness", "audit").splitlines() == [
        "bet 1: the stored roll is wrong",
        "Error: 1 mismatches",
    ]

    with reading():
        database.execute_sql("DELETE FROM bets")

    assert "the nonces have a gap" in fails("fairness", "audit")
