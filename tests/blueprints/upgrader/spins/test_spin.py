"""A settled spin: its events, their order, and the balances."""

import json


def balance_of(client, player):
    return client.get("/auth/me", headers=player.headers).json["balance"]


def test_events_come_in_the_promised_order(connect, player, item):
    socket = connect(player)
    socket.expect("live-bets")

    socket.spin({"amount": 1, "item": item})

    names = [socket.next()[0] for _ in range(4)]
    assert names == ["upgrader:pf", "upgrader:spin", "upgrader:commitment", "balance"]


def test_the_event_and_the_acknowledgement_are_equal(connect, player, item):
    socket = connect(player)

    acknowledged = socket.spin({"amount": 1, "item": item})

    assert socket.expect("upgrader:spin") == acknowledged


def test_a_client_that_asks_for_no_acknowledgement_gets_the_event(connect, player, item):
    socket = connect(player)

    socket.emit("upgrader:spin", {"amount": 1, "item": item})

    assert socket.expect("upgrader:spin")["status"] is True


def test_a_win_is_worth_the_items_price(connect, client, player, item, winning):
    socket = connect(player)

    answer = socket.spin({"amount": 1, "item": item, "clientSeed": winning()})

    assert answer == {"status": True, "result": {"success": True, "amount": 10, "item": item}}
    assert balance_of(client, player) == 109


def test_a_loss_costs_the_wager(connect, client, player, item, losing):
    socket = connect(player)

    answer = socket.spin({"amount": 1, "item": item, "clientSeed": losing()})

    assert answer == {"status": True, "result": {"success": False, "amount": 0, "item": item}}
    assert balance_of(client, player) == 99


def test_pf_carries_the_commitment_that_was_announced_before(connect, player, item):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")

    socket.spin({"amount": 1, "item": item, "clientSeed": "my-own-seed"})

    pf = socket.expect("upgrader:pf")
    assert pf["serverSeedCommitment"] == announced["serverSeedCommitment"]
    assert pf["nonce"] == announced["nonce"] == 1
    assert pf["clientSeed"] == "my-own-seed"
    assert set(pf) == {"serverSeedCommitment", "clientSeed", "nonce", "percent"}


def test_the_balance_event_has_all_three_accounts_and_a_higher_version(connect, player, item, losing):
    socket = connect(player)
    first = socket.expect("balance")

    socket.spin({"amount": 0.37, "item": item, "clientSeed": losing()})

    assert first == {"balance": 100, "vaultBalance": 0, "sweepstakeBalance": 0, "version": first["version"]}
    second = json.loads(json.dumps(socket.expect("balance"), default=float))
    assert second == first | {"balance": 99.63, "version": first["version"] + 1}


def test_balance_and_commitment_go_to_all_sockets_of_the_player(connect, player, item):
    asking, watching = connect(player), connect(player)
    watching.expect("live-bets")

    asking.spin({"amount": 1, "item": item})

    assert [watching.next()[0] for _ in range(2)] == ["upgrader:commitment", "balance"]


def test_without_a_client_seed_the_profiles_own_is_used(connect, client, player, item):
    own = client.get("/auth/me", headers=player.headers).json["clientSeed"]
    socket = connect(player)

    for left_out in ({}, {"clientSeed": ""}, {"clientSeed": None}):
        socket.spin({"amount": 1, "item": item, **left_out})

        assert socket.expect("upgrader:pf")["clientSeed"] == own


def test_extra_keys_and_arguments_are_ignored(connect, player, item):
    socket = connect(player)

    answer = socket.spin({"amount": 1, "item": item, "bonus": True}, "and", "more")

    assert answer["status"] is True


def test_the_price_and_the_commitment_that_the_player_saw_are_accepted(connect, player, item):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")["serverSeedCommitment"]

    answer = socket.spin({"amount": 1, "item": item, "price": 10.0, "serverSeedCommitment": announced})

    assert answer["status"] is True


def test_a_spin_counts_at_once_for_experience(connect, client, player, item):
    socket = connect(player)

    socket.spin({"amount": 9.5, "item": item})
    socket.spin({"amount": 9.5, "item": item})

    assert client.get("/auth/me", headers=player.headers).json["experience"] == 19


def test_a_players_nonces_count_from_one(connect, player, item):
    socket = connect(player)

    for _ in range(3):
        socket.spin({"amount": 1, "item": item})

    assert [socket.expect("upgrader:pf")["nonce"] for _ in range(3)] == [1, 2, 3]


def test_the_ledger_holds_wager_and_payout_of_every_spin(connect, player, item, winning, losing, run):
    socket = connect(player)

    socket.spin({"amount": 1, "item": item, "clientSeed": winning()})
    socket.spin({"amount": 1, "item": item, "clientSeed": losing()})

    audit = run("ledger", "audit")
    assert audit == {"users": 1, "transactions": 3, "entries": 2 + 4 + 2, "mismatches": 0}


def test_the_fairness_audit_recomputes_every_bet(connect, player, item, winning, losing, run):
    socket = connect(player)

    socket.spin({"amount": 1, "item": item, "clientSeed": winning()})
    socket.spin({"amount": 2, "item": item, "clientSeed": losing(2)})

    assert run("fairness", "audit") == {
        "bets": 2,
        "mismatches": 0,
        "wagered": 3,
        "paid": 10,
        "freeBets": 0,
        "freePaid": 0,
        "returnToPlayer": 10 / 3,
    }
