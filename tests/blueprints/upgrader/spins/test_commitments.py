"""The commitment is announced before the player chooses."""

import hashlib

import peewee
import pytest

from services.bets.writer import BetWriter


@pytest.mark.regulation("(e) Immediate use of outputs")
def test_a_player_has_a_commitment_before_the_first_spin(connect, client, player):
    over_http = client.get("/upgrader/commitment", headers=player.headers).json

    over_socket = connect(player).expect("upgrader:commitment")

    assert over_socket == over_http
    assert over_http["nonce"] == 1


@pytest.mark.both_databases("the commitment of the transaction that settles")
@pytest.mark.guarantee("Every bet")
@pytest.mark.security("Fairness")
@pytest.mark.regulation("4.5 Outcome")
@pytest.mark.regulation("(c)(2) Reseeding or cycling")
@pytest.mark.regulation("(e) Order of outputs")
def test_each_spin_uses_the_seed_announced_before_it(connect, player, item):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")

    for nonce in (1, 2):
        socket.spin({"amount": 1, "item": item})
        following = socket.expect("upgrader:commitment")
        proof = socket.expect("upgrader:proof")

        assert proof["nonce"] == announced["nonce"] == nonce
        assert hashlib.sha256(proof["serverSeed"].encode()).hexdigest() == announced["serverSeedCommitment"]
        announced = following


def test_a_spin_for_an_earlier_commitment_is_refused(connect, player, item):
    socket = connect(player)
    spin = {"amount": 1, "item": item}
    first = socket.expect("upgrader:commitment")["serverSeedCommitment"]
    socket.spin(spin)
    following = socket.expect("upgrader:commitment")["serverSeedCommitment"]

    refused = socket.spin(spin | {"serverSeedCommitment": first})

    assert refused == {"status": False, "error": "Commitment does not match"}
    assert socket.spin(spin | {"serverSeedCommitment": following})["status"] is True


@pytest.mark.regulation("(a) Properties")
def test_no_two_players_are_announced_the_same_seed(connect, new_player):
    announced = [connect(new_player(name)).expect("upgrader:commitment") for name in ("alice", "bob")]

    assert announced[0]["serverSeedCommitment"] != announced[1]["serverSeedCommitment"]


@pytest.mark.both_databases("the commitment of the transaction that settles")
def test_next_commitment_and_balance_arrive_after_a_lost_commit_answer(connect, player, item, monkeypatch):
    socket = connect(player)
    first = socket.expect("upgrader:commitment")
    settle = BetWriter.write

    def settle_without_answer(*args):
        settle(*args)
        raise peewee.OperationalError("the connection was lost")

    with monkeypatch.context() as patch:
        patch.setattr(BetWriter, "write", settle_without_answer)
        assert socket.spin({"amount": 1, "item": item})["error"] == "Something went wrong"

    assert socket.expect("upgrader:commitment")["nonce"] == first["nonce"] + 1
    assert socket.expect("balance")["version"] == 2
