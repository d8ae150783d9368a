"""The commitment is announced before the player chooses."""

import hashlib


def test_a_player_has_a_commitment_before_the_first_spin(connect, client, player):
    over_http = client.get("/upgrader/commitment", headers=player.headers).json

    over_socket = connect(player).expect("upgrader:commitment")

    assert over_socket == over_http
    assert over_http["nonce"] == 1


def test_each_spin_is_rolled_with_the_seed_that_was_announced_before_it(connect, player, item):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")

    for nonce in (1, 2, 3):
        socket.spin({"amount": 1, "item": item})
        following = socket.expect("upgrader:commitment")
        proof = socket.expect("upgrader:proof")

        assert proof["nonce"] == announced["nonce"] == nonce
        assert hashlib.sha256(proof["serverSeed"].encode()).hexdigest() == announced["serverSeedCommitment"]
        announced = following


def test_no_two_players_are_announced_the_same_seed(connect, new_player):
    announced = [connect(new_player(name)).expect("upgrader:commitment") for name in ("alice", "bob")]

    assert announced[0]["serverSeedCommitment"] != announced[1]["serverSeedCommitment"]
