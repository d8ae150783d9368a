"""GET /stats/games: a player's bets as games."""

import pytest

from tests.blueprints.stats.conftest import NOW


@pytest.mark.regulation("2.5.7 Transaction log")
def test_a_game_shows_wager_earning_and_multiplier(ask, spin, alice):
    assert ask("games", alice) == {
        "success": True,
        "data": {"games": [], "totalGames": 0, "totalPages": 0, "currentPage": 1},
        "hasMore": False,
    }

    won = spin(alice, wager=3, price=10, wins=True)
    lost = spin(alice, wager="0.01", price=2)

    assert ask("games", alice)["data"]["games"] == [
        {"id": str(lost.id), "game": "upgrader", "wager": 0.01, "earning": 0, "multiplier": 0, "date": NOW},
        {"id": str(won.id), "game": "upgrader", "wager": 3, "earning": 10, "multiplier": 3.33, "date": NOW},
    ]


@pytest.fixture
def history(spin, alice, clock):
    """Five bets a second apart, by their wagers 1 to 5: lost, won 10, lost, won 20, won 10."""
    for wager, price, wins in ((1, 10, False), (2, 10, True), (3, 10, False), (4, 20, True), (5, 10, True)):
        spin(alice, wager=wager, price=price, wins=wins)
        clock.advance(ms=1000)


def wagers(answer):
    return [game["wager"] for game in answer["data"]["games"]]


@pytest.mark.usefixtures("history")
def test_games_are_sorted(ask, alice):
    orders = ("most-recent", "least-recent", "most-earned", "least-earned")

    sorts = {sort: wagers(ask("games", alice, sort=sort)) for sort in orders}

    assert sorts == {
        "most-recent": [5, 4, 3, 2, 1],
        "least-recent": [1, 2, 3, 4, 5],
        "most-earned": [4, 2, 5, 1, 3],
        "least-earned": [3, 1, 5, 2, 4],
    }
