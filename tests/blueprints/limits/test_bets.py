"""Bets of a player with limits, or during a break."""

import pytest

from tests.blueprints.limits.conftest import DAY_MS, NOW
from tests.harness.players import import_case
from tests.support.apps import ITEM, import_irl_case

# The next Monday and the next day are the same. The month ends eight days later.
MIDNIGHT = 1_795_392_000_000
DECEMBER = MIDNIGHT + 8 * DAY_MS
REACHED = {"status": False, "error": "Your limit is reached"}
A_BREAK = "You are taking a break until 2026-11-23T13:45:01Z"


@pytest.fixture
def spin(spins_of, player):
    return spins_of(player)


@pytest.mark.both_databases("models/bet_settlement.py")
@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("RTS 12B: kinds of limits")
def test_a_limit_can_be_reached_and_not_exceeded(client, new_player, spins_of):
    for kind in ("wager", "loss"):
        for period, resets_at in (("day", MIDNIGHT), ("week", MIDNIGHT), ("month", DECEMBER)):
            player = new_player(f"{kind}-{period}")
            client.put("/limits", json={"kind": kind, "period": period, "value": 2}, headers=player.headers)
            refused = REACHED | {"limit": kind, "period": period, "resetsAt": resets_at}
            spin = spins_of(player)

            assert spin(1)["status"] is True
            assert spin(1.01) == refused
            assert spin(1)["status"] is True
            assert spin(0.01) == refused
            assert client.get("/auth/me", headers=player.headers).json["balance"] == 98


@pytest.mark.security("Limits and breaks")
@pytest.mark.both_databases("a race")
def test_bets_at_once_at_two_apps_reach_the_limit_exactly(bet_at_once, put):
    put(5)

    assert sum(bet_at_once() for _ in range(10)) == 5


@pytest.mark.regulation("RTS 12B: kinds of limits")
def test_a_loss_limit_lets_winnings_of_the_period_be_played(put, spin):
    put(2, "loss")
    spin(2, wins=True)

    # Eight coins were won. With two that may be lost, that is ten, but no wager may reach the price.
    assert spin(9.99)["status"] is True
    assert spin(0.02)["error"] == "Your limit is reached"
    assert spin(0.01)["status"] is True


@pytest.mark.both_databases("models/bet_settlement.py")
@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("2.5.5 Exclusions")
def test_an_open_socket_cannot_bet_during_a_break(take_break, spin, balance, clock):
    _, answer = take_break("24h")

    assert spin(1) == {"status": False, "error": A_BREAK}
    clock.now = answer["until"] - 1
    assert spin(1) == {"status": False, "error": A_BREAK}
    assert balance() == 100
    clock.now = answer["until"]
    assert spin(1)["status"] is True


def test_a_player_who_is_excluded_permanently_cannot_bet(take_break, spin):
    take_break("permanent")

    assert spin(1) == {"status": False, "error": "You have excluded yourself permanently"}


@pytest.mark.parametrize(("event", "case"), [("case:open", "box"), ("irl:open", "desk")])
def test_openings_count_and_are_refused_as_spins_are(connect, player, put, take_break, add_item, event, case):
    import_case("Box", {add_item(price=0.95): 100})
    import_irl_case("desk", price=1)
    socket = connect(player)
    put(1)

    answers = [socket.call(event, {"case": case}) for _ in range(2)]
    take_break("24h")
    answers.append(socket.call(event, {"case": case}))

    assert [answer.get("error") for answer in answers] == [None, REACHED["error"], A_BREAK]
    assert answers[1] == REACHED | {"limit": "wager", "period": "day", "resetsAt": MIDNIGHT}


def test_limits_and_breaks_come_before_commitment_and_funds(put, take_break, spin):
    unseen = {"serverSeedCommitment": "0" * 64, "clientSeed": "my-seed"}
    assert spin(1, **unseen)["error"] == "Commitment does not match"

    put(1)
    assert spin(2, **unseen)["error"] == "Your limit is reached"
    take_break("24h")
    assert spin(2, **unseen)["error"] == A_BREAK


@pytest.mark.regulation("4.16 Interrupted games")
def test_a_repeated_request_id_is_answered_during_a_break(put, take_break, spin):
    request = {"requestId": "one", "clientSeed": "same-seed"}
    first = spin(1, **request)
    put(0)
    take_break("permanent")

    assert first["status"] is True
    assert spin(1, **request) == first


@pytest.mark.regulation("2.5.5 Exclusions")
@pytest.mark.settings(UPGRADER_PROOF_DELAY="0")
def test_proofs_vault_payments_and_history_stay_usable_during_a_break(
    client, player, connect, take_break, add_item, clock, run
):
    add_item(price=10)
    socket = connect(player)
    socket.spin({"amount": 1, "item": ITEM, "clientSeed": "a-client-seed"})
    take_break("permanent")
    clock.now = NOW + DAY_MS

    lock = {"amount": 5, "deadline": clock.now + 1}
    assert client.post("/profile/vault/lock", json=lock, headers=player.headers).status_code == 200
    run("payments", "record", player.platform_id, "deposit", "5")
    for path in ("/stats/games", "/stats/fairness", "/prizes", "/profile/details", "/auth/me"):
        assert client.get(path, headers=player.headers).status_code == 200
    assert connect(player).expect("upgrader:proof")["nonce"] == 1
