"""The lists of a player's bets, and the live bets, with bets of all games."""

import pytest

from models.db.connection import writing
from models.users import User
from services.cases.kinds import FREE_CASE_ID
from tests.blueprints.stats.conftest import PROOF_DELAY_MS
from tests.support.openings import Openings, chest


@pytest.fixture
def open_case(app):
    """Opens a case that costs 5 coins and pays 1 or 40: ``open_case(player, wins="Dust")``."""
    return Openings(app).bet


@pytest.fixture
def promoted(alice):
    """A player who may open the free case."""
    with writing():
        User.update(used_affiliate_code="FRIEND").where(User.id == alice.id).execute()
    return alice


@pytest.fixture
def history(spin, open_case, alice, bob):
    """Five bets, by their nonces: a spin, two cases, a case of real-life items, a spin."""
    spin(alice, wager=2, price=10, wins=True)
    open_case(alice)
    open_case(alice, wins="Crown")
    open_case(alice, game="irl")
    spin(alice)
    open_case(bob)


@pytest.fixture
def games(ask, alice):
    """The games that a search finds, as name and earning."""

    def found(search, **parameters):
        data = ask("games", alice, search=search, **parameters)["data"]
        assert data["totalGames"] == len(data["games"])
        return [(game["game"], game["earning"]) for game in data["games"]]

    return found


@pytest.mark.both_databases("services/statistics/player_lists.py")
@pytest.mark.usefixtures("history")
def test_games_are_searched_by_the_names_of_all_games(games):
    newest_first = [("upgrader", 0), ("irl", 1), ("case", 40), ("case", 1), ("upgrader", 10)]

    assert games("") == newest_first
    assert games("CASE") == [("case", 40), ("case", 1)]
    assert games("i") == games("irl") == [("irl", 1)]
    assert games("a") == [game for game in newest_first if game[0] != "irl"]
    assert games("slots") == games("%") == games("case ") == []


@pytest.mark.usefixtures("history")
def test_fairness_entries_are_filtered_by_game(ask, alice):
    def nonces(**parameters):
        data = ask("fairness", alice, **parameters)["data"]
        listed = [item["pf"]["nonce"] for item in data["items"]]
        assert data["total"] == len(listed)
        return listed

    assert nonces(game="all") == nonces() == [5, 4, 3, 2, 1]
    assert nonces(game="upgrader") == [5, 1]
    assert nonces(game="case", sort="least-recent") == [2, 3]
    assert nonces(game="irl") == [4]
    assert nonces(game="case", search="seed") == [3, 2]
    assert nonces(game="irl", search="no-such-seed") == []


def test_live_bets_show_openings_with_their_multiplier_rounded_down(ask, open_case, promoted, clock):
    open_case(promoted, chest(price=3))
    open_case(promoted, wins="Crown", game="irl")
    open_case(promoted, chest(FREE_CASE_ID), wins="Crown")
    clock.advance(ms=PROOF_DELAY_MS)

    shown = ask("live-bets")["data"]["bets"]

    assert [(bet["game"], bet["wager"], bet["payout"], bet["multiplier"]) for bet in shown] == [
        ("case", 0, 40, 0),
        ("irl", 5, 40, 8),
        ("case", 3, 1, 0.33),
    ]
    assert [game["multiplier"] for game in ask("games", promoted)["data"]["games"]] == [0, 8, 0.33]


def test_a_free_opening_is_never_a_high_roll(ask, open_case, promoted, clock):
    open_case(promoted, chest(FREE_CASE_ID), wins="Crown")
    paid = open_case(promoted, chest(price=4), wins="Crown")
    clock.advance(ms=PROOF_DELAY_MS)

    high_rolls = ask("live-bets", type="high-rolls")["data"]

    assert [bet["id"] for bet in high_rolls["bets"]] == [str(paid.id)]
    assert high_rolls["total"] == 1
    assert ask("live-bets")["data"]["total"] == 2
