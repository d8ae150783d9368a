"""/bets/:id and /b/:id of a player's seat in a battle."""

import json
import re
from html import unescape
from io import BytesIO

import pytest
from PIL import Image

from services.bets import rolls
from services.log import entries
from services.log.notes import decode_base64
from tests.support.battles import Battles

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def battles(app):
    return Battles(app)


@pytest.fixture
def alice(new_player):
    return new_player("alice", coins=1_000)


@pytest.fixture
def bob(new_player):
    return new_player("bob", coins=1_000)


@pytest.fixture
def seats(client):
    """The public bets of players, by their names."""

    def read():
        shown = client.get("/stats/live-bets").json["data"]["bets"]
        bets = [client.get(f"/bets/{bet['id']}").json for bet in shown]
        return {bet["user"]: bet for bet in bets}

    return read


@pytest.mark.both_databases("services/bets/lookups.py")
def test_the_bet_of_a_seat_names_its_battle_and_its_beacon(battles, alice, bob, seats):
    battle = battles.play(alice, bob, wins=1)

    found = seats()

    of_bob = found["bob"]
    assert {name: of_bob[name] for name in ("game", "algorithm", "battle", "seat")} == {
        "game": "battle",
        "algorithm": "battle-1",
        "battle": battle.public_id,
        "seat": 1,
    }
    assert of_bob["pf"] == {
        "serverSeedCommitment": rolls.commitment_of(battle.server_seed),
        "serverSeed": battle.server_seed,
        "clientSeed": "battle-1",
        "nonce": 0,
        "publicSeed": battle.randomness,
        "round": battle.round,
    }
    assert of_bob["log"] == found["alice"]["log"]


def test_the_proof_of_a_seat_is_that_of_the_end_of_its_battle(client, battles, alice, bob, seats):
    battle = battles.play(alice, bob)
    bet = seats()["alice"]

    proof = client.get(f"/bets/{bet['id']}/tlog-proof").text

    extra, index = (re.search(rf"^{name} (.+)$", proof, re.MULTILINE)[1] for name in ("extra", "index"))
    end = json.loads(decode_base64(extra))
    assert end["battle"] == entries.battle_name(battle.public_id)
    assert (end["seed"], end["signature"]) == (battle.server_seed, battle.signature)
    assert int(index) == bet["log"]["index"]


def test_the_bet_of_a_private_battle_does_not_lead_to_it(client, battles, alice, bob, seats):
    battle = battles.play(alice, bob, private=True)

    bet = seats()["alice"]

    assert bet["battle"] is None
    page = client.get(f"/b/{bet['id']}", headers=BROWSER).text
    assert battle.public_id not in page
    assert "The battle is private" in page


@pytest.mark.parametrize(("wins", "title"), [(0, "alice won a battle"), (1, "alice did not win a battle")])
def test_a_shared_seat_says_how_it_was_played_and_where_it_is_verified(
    client, battles, alice, bob, seats, wins, title
):
    battle = battles.play(alice, bob, wins=wins, mode="jackpot", crazy=True)
    bet = seats()["alice"]

    page = unescape(client.get(f"/b/{bet['id']}", headers=BROWSER).text)

    assert f'<h1 id="title">{title}</h1>' in page
    assert "alice played a battle, 1v1" in page
    assert "Mode jackpot, crazy" in page
    assert f'href="/battles/{battle.public_id}"' in page
    assert battle.randomness in page
    assert "shared-bet.js" not in page
    picture = re.search(r'og:image" content="[^"]*(/b/[^"]+\.png)"', page)[1]
    answer = client.get(picture)
    assert Image.open(BytesIO(answer.data)).size == (1200, 630)
