"""GET /upgrader/commitment: the commitment of the next spin."""

import hashlib
import re

import pytest

from models.db.connection import reading
from models.users import AnnouncedSeed
from services.upgrader.spin import SpinRequest

PATH = "/upgrader/commitment"


@pytest.fixture
def app(make_app):
    """An app whose proofs are due at once."""
    return make_app(UPGRADER_PROOF_DELAY="0")


@pytest.fixture
def commitment_of(client):
    """Requests the commitment of a player."""
    return lambda player: client.get(PATH, headers=player.headers).json


@pytest.fixture
def spin(app, add_item):
    """Plays one spin for a player and returns the settled bet."""
    item = add_item(price=10)

    def play(player):
        services = app.extensions["services"]
        request = SpinRequest(amount=1, item=item)
        return services.upgrader.play(user_id=player.id, request=request, clock=services.clock).bet

    return play


def test_a_new_player_has_the_commitment_of_their_first_spin(commitment_of, player):
    commitment = commitment_of(player)

    assert sorted(commitment) == ["nonce", "serverSeedCommitment"]
    assert commitment["nonce"] == 1
    assert re.fullmatch("[0-9a-f]{64}", commitment["serverSeedCommitment"])
    assert commitment_of(player) == commitment


def test_a_commitment_survives_a_restart(commitment_of, player, make_app):
    before = commitment_of(player)

    after = make_app().test_client().get(PATH, headers=player.headers).json

    assert after == before


def test_a_spin_uses_its_players_commitment_and_announces_the_next(commitment_of, new_player, spin):
    alice, bob = new_player("alice"), new_player("bob")
    before, of_bob = commitment_of(alice), commitment_of(bob)

    bet = spin(alice)

    after = commitment_of(alice)
    assert (bet.server_seed_commitment, bet.nonce) == (before["serverSeedCommitment"], before["nonce"])
    assert after["nonce"] == 2
    commitments = {each["serverSeedCommitment"] for each in (before, after, of_bob)}
    assert len(commitments) == 3
    assert commitment_of(bob) == of_bob


def test_a_commitment_is_the_hash_of_the_seed_that_is_revealed(client, commitment_of, player, spin):
    commitment = commitment_of(player)["serverSeedCommitment"]
    spin(player)

    revealed = client.get("/upgrader/bets/1", headers=player.headers).json["pf"]["serverSeed"]

    assert hashlib.sha256(revealed.encode()).hexdigest() == commitment


def test_the_seed_behind_a_commitment_cannot_be_read_from_the_database(client, player, spin):
    with reading():
        stored = str(AnnouncedSeed.select().where(AnnouncedSeed.user == player.id).dicts().get())
    spin(player)

    revealed = client.get("/upgrader/bets/1", headers=player.headers).json["pf"]["serverSeed"]

    assert re.fullmatch("[0-9a-f]{64}", revealed)
    assert revealed not in stored


def test_the_commitment_requires_a_token(client):
    answer = client.get(PATH)

    assert (answer.status_code, answer.json) == (401, {"error": "Unauthorized"})
