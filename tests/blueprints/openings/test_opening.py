"""case:open: its events, their order, and the balances."""

import pytest

from services.bets import rolls
from tests.blueprints.openings.conftest import CHEAP, DEAR


@pytest.mark.both_databases("money")
@pytest.mark.settings(UPGRADER_PROOF_DELAY="600")
def test_an_opening_moves_coins_and_sends_events_in_order(connect, client, player, case, winning):
    socket = connect(player)
    socket.expect("live-bets")

    won = socket.call("case:open", {"case": case, "clientSeed": winning(DEAR, case)})
    events = [socket.next() for _ in range(4)]
    lost = socket.call("case:open", {"case": case, "clientSeed": winning(CHEAP, case)})

    assert won == {"status": True, "result": {"success": True, "amount": 55, "item": DEAR}}
    assert lost == {"status": True, "result": {"success": False, "amount": 5, "item": CHEAP}}
    assert [name for name, _ in events] == ["case:pf", "case:open", "upgrader:commitment", "balance"]
    assert events[1][1] == won
    user = client.get("/auth/me", headers=player.headers).json
    assert user["balance"] == 100 - 2 * 10.53 + 55 + 5
    assert user["experience"] == 21


@pytest.mark.regulation("4.5 Outcome")
def test_the_proof_reproduces_the_ticket_that_pf_announced(connect, player, case, snapshot_of):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")
    snapshot = snapshot_of(case)

    socket.call("case:open", {"case": case, "clientSeed": "my-own-seed", "snapshot": snapshot})

    pf, proof = socket.expect("case:pf"), socket.expect("case:proof")
    ticket = rolls.ticket(
        game="case", server_seed=proof["serverSeed"], client_seed="my-own-seed", nonce=announced["nonce"]
    )
    assert pf == announced | {
        "clientSeed": "my-own-seed",
        "ticket": str(ticket),
        "percent": pf["percent"],
    }
    assert float(pf["percent"]) == rolls.ticket_percent(ticket)
    assert proof == announced | {
        "clientSeed": "my-own-seed",
        "serverSeed": proof["serverSeed"],
        "snapshot": snapshot,
    }


@pytest.mark.regulation("(e) Order of outputs")
def test_openings_and_spins_share_nonces_and_commitments(connect, player, case, irl_case, add_item):
    item = add_item(price=10)
    socket = connect(player)

    for event, payload in [
        ("case:open", {"case": case}),
        ("upgrader:spin", {"amount": 1, "item": item}),
        ("irl:open", {"case": irl_case}),
    ]:
        announced = socket.expect("upgrader:commitment")
        payload["serverSeedCommitment"] = announced["serverSeedCommitment"]
        assert socket.call(event, payload)["status"] is True
        assert socket.expect(event.split(":")[0] + ":pf")["nonce"] == announced["nonce"]

    assert socket.expect("upgrader:commitment")["nonce"] == 4


@pytest.mark.both_databases("models/cases.py")
def test_spins_of_a_case_count_its_openings(connect, client, player, case):
    socket = connect(player)
    for _ in range(3):
        socket.call("case:open", {"case": case})

    assert client.get("/api/cases/pagination").json["cases"][0]["spins"] == 3
