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
