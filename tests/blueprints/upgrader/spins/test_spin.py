"""A settled spin: its events, their order, and the balances."""

import json

import pytest

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="600")


def test_events_come_in_the_promised_order(connect, player, item):
    asking, watching = connect(player), connect(player)
    for socket in (asking, watching):
        socket.expect("live-bets")

    acknowledged = asking.spin({"amount": 1, "item": item})

    events = [asking.next() for _ in range(4)]
    assert [name for name, _ in events] == [
        "upgrader:pf",
        "upgrader:spin",
        "upgrader:commitment",
        "balance",
    ]
    assert events[1][1] == acknowledged
    # The player's other sockets get the last two.
    assert [watching.next() for _ in range(2)] == events[2:]


@pytest.mark.both_databases("models/bet_settlement.py")
@pytest.mark.regulation("4.5 Outcome")
@pytest.mark.regulation("(e) No adjustment by history")
def test_a_win_pays_the_items_price_and_a_loss_nothing(connect, balance, player, item, winning, losing, run):
    socket = connect(player)

    won = socket.spin({"amount": 1, "item": item, "clientSeed": winning()})
    assert won == {"status": True, "result": {"success": True, "amount": 10, "item": item}}
    assert balance() == 109

    lost = socket.spin({"amount": 2, "item": item, "clientSeed": losing(2)})
    assert lost == {"status": True, "result": {"success": False, "amount": 0, "item": item}}
    assert balance() == 107

    ledger = run("ledger", "audit")
    assert ledger == {"users": 1, "transactions": 3, "entries": 2 + 4 + 2, "mismatches": 0}
    assert run("fairness", "audit") == {
        "bets": 2,
        "mismatches": 0,
        "wagered": 3,
        "paid": 10,
        "freeBets": 0,
        "freePaid": 0,
        "returnToPlayer": 10 / 3,
    }


def test_the_balance_event_has_all_accounts_and_a_version(connect, player, item, losing):
    socket = connect(player)
    first = socket.expect("balance")

    socket.spin({"amount": 0.37, "item": item, "clientSeed": losing()})

    assert first == {"balance": 100, "vaultBalance": 0, "sweepstakeBalance": 0, "version": first["version"]}
    second = json.loads(json.dumps(socket.expect("balance"), default=float))
    assert second == first | {"balance": 99.63, "version": first["version"] + 1}


def test_without_a_client_seed_the_profiles_own_is_used(connect, client, player, item):
    own = client.get("/auth/me", headers=player.headers).json["clientSeed"]
    socket = connect(player)

    for left_out in ({}, {"clientSeed": ""}, {"clientSeed": None}):
        socket.spin({"amount": 1, "item": item, **left_out})

        assert socket.expect("upgrader:pf")["clientSeed"] == own


def test_the_price_and_commitment_that_were_seen_are_accepted(connect, player, item):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")["serverSeedCommitment"]

    seen = {"price": 10.0, "serverSeedCommitment": announced}
    answer = socket.spin({"amount": 1, "item": item, "extra key": True} | seen, "and", "more arguments")

    assert answer["status"] is True
