"""GET /stats/games: a player's bets as games."""

import pytest

from tests.blueprints.stats.conftest import NOW


@pytest.fixture
def history(spin, alice, clock):
    """Five bets a second apart, by their wagers 1 to 5: lost, won 10, lost, won 20, won 10."""
    for wager, price, wins in ((1, 10, False), (2, 10, True), (3, 10, False), (4, 20, True), (5, 10, True)):
        spin(alice, wager=wager, price=price, wins=wins)
        clock.advance(ms=1000)


def wagers(answer):
    return [game["wager"] for game in answer["data"]["games"]]


def test_a_game_shows_wager_earning_and_multiplier(ask, spin, alice):
    assert ask("games", alice) == {
        "success": True,
        "data": {"games": [], "totalGames": 0, "totalPages": 0, "currentPage": 1},
        "hasMore": False,
    }

    spin(alice, wager=3, price=10, wins=True)
    spin(alice, wager="0.01", price=2)

    assert ask("games", alice)["data"]["games"] == [
        {"game": "upgrader", "wager": 0.01, "earning": 0, "multiplier": 0, "date": NOW},
        {"game": "upgrader", "wager": 3, "earning": 10, "multiplier": 3.33, "date": NOW},
    ]


@pytest.mark.usefixtures("history")
def test_games_are_sorted(ask, alice):
    orders = ("most-recent", "least-recent", "most-earned", "least-earned")

    sorts = {sort: wagers(ask("games", alice, sort=sort)) for sort in orders}

    assert sorts == {
        "most-recent": [5, 4, 3, 2, 1],
        "least-recent": [1, 2, 3, 4, 5],
        "most-earned": [4, 5, 2, 3, 1],
        "least-earned": [3, 1, 5, 2, 4],
    }


@pytest.mark.usefixtures("history")
def test_pages_together_have_the_whole_list(ask, alice, bob):
    for sort in ("most-recent", "least-recent", "most-earned", "least-earned"):
        whole = ask("games", alice, sort=sort)["data"]["games"]

        pages = [ask("games", alice, sort=sort, page=number, limit=2) for number in (1, 2, 3)]

        assert [game for page in pages for game in page["data"]["games"]] == whole
        assert [page["hasMore"] for page in pages] == [True, True, False]
        assert {page["data"]["totalGames"] for page in pages} == {5}
        assert {page["data"]["totalPages"] for page in pages} == {3}
        assert [page["data"]["currentPage"] for page in pages] == [1, 2, 3]
    assert ask("games", alice) == ask("games", alice, sort="most-recent", page=1, limit=10, search="")
    assert ask("games", bob)["data"]["totalGames"] == 0


@pytest.mark.usefixtures("history")
def test_a_page_past_the_end_is_empty_with_true_totals(ask, alice):
    far = 10**30

    pages = [
        ask("games", alice, page=page, limit=5, sort=sort)
        for page in (2, far)
        for sort in ("most-recent", "most-earned")
    ]

    assert [page["data"]["games"] for page in pages] == [[]] * 4
    assert {page["data"]["totalGames"] for page in pages} == {5}
    assert [page["data"]["currentPage"] for page in pages] == [2, 2, far, far]
    assert {page["hasMore"] for page in pages} == {False}


@pytest.mark.usefixtures("history")
def test_games_are_searched_by_part_of_their_name(ask, alice):
    found = {
        text: ask("games", alice, search=text)["data"]["totalGames"]
        for text in ("grad", "UPGRADER", "roulette", "%", "_", "upgrader ")
    }

    assert found == {"grad": 5, "UPGRADER": 5, "roulette": 0, "%": 0, "_": 0, "upgrader ": 0}
