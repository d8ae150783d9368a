"""GET /stats/fairness: a player's bets with their seeds, each revealed when its proof is due."""

import pytest

from models.bets import Bet
from models.db.connection import reading
from tests.blueprints.stats.conftest import NOW, PROOF_DELAY_MS


@pytest.fixture
def seed_of(app):
    """The server seed of a bet, whether it is revealed or not."""
    return app.extensions["services"].seeds.of_bet


@pytest.fixture
def nonces(ask, alice):
    """The nonces of the bets that a search finds, in the order of the page."""

    def found(search="", **parameters):
        data = ask("fairness", alice, search=search, **parameters)["data"]
        listed = [item["pf"]["nonce"] for item in data["items"]]
        assert data["total"] == len(listed)
        return listed

    return found


def test_a_bet_shows_its_seeds_when_its_proof_is_due(ask, spin, seed_of, alice, clock):
    assert ask("fairness", alice) == {
        "success": True,
        "data": {"items": [], "total": 0, "totalPages": 0, "currentPage": 1},
    }
    bet = spin(alice, wager=3, wins=True)
    clock.advance(ms=PROOF_DELAY_MS)

    assert ask("fairness", alice)["data"]["items"] == [
        {
            "id": str(bet.id),
            "game": "upgrader",
            "betAmount": 3,
            "payout": 10,
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
        }
    ]


def test_a_server_seed_is_hidden_until_its_proof_is_due(ask, spin, seed_of, alice, clock, nonces):
    seed = seed_of(spin(alice))
    clock.advance(ms=PROOF_DELAY_MS - 1)

    [item] = ask("fairness", alice)["data"]["items"]

    assert (item["pf"]["serverSeed"], item["status"]) == ("", "lost")
    assert nonces(seed) == []


def test_a_search_finds_a_due_seed_that_is_still_encrypted(spin, seed_of, alice, clock, nonces):
    bet = spin(alice)
    spin(alice)
    clock.advance(ms=PROOF_DELAY_MS)

    found = nonces(seed_of(bet)[20:40].upper())

    assert found == [1]
    with reading():
        assert Bet.get_by_id(bet.id).server_seed == seed_of(bet)


@pytest.mark.both_databases("services/bets/lookups.py")
def test_a_search_matches_parts_of_seeds_and_whole_nonces(spin, alice, nonces):
    for client_seed in ("Lucky_one", "lucky-TWO", "1234", "4321"):
        spin(alice, client_seed=client_seed)

    found = {
        text: nonces(text)
        for text in (
            "lucky",
            "LUCKY_ONE",
            "_",
            "-t",
            "23",
            "3",
            "4",
            "34",
            "03",
            "lucky%",
            "\\",
            "é",
            "x" * 65,
        )
    }

    assert found == {
        "lucky": [2, 1],
        "LUCKY_ONE": [1],
        "_": [1],
        "-t": [2],
        "23": [3],
        "3": [4, 3],
        "4": [4, 3],
        "34": [3],
        "03": [],
        "lucky%": [],
        "\\": [],
        "é": [],
        "x" * 65: [],
    }
    too_large = (2**63 - 1, 2**63, 10**40)
    assert [nonces(str(number)) for number in too_large] == [[], [], []]
