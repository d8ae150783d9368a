"""The free case, and cases that need a level."""

import pytest

from tests.blueprints.openings.conftest import CHEAP, DEAR

REFUSED = {"status": False, "error": "Free case is not available"}


@pytest.mark.both_databases("money")
def test_the_free_case_costs_nothing_and_opens_once(connect, me, lucky, free_case, winning, state_of):
    socket = connect(lucky)
    before = me(lucky)
    assert socket.call("case:open", {"case": free_case, "price": 0})["error"] == "Case price has changed"
    seed = winning(DEAR, free_case)
    request = {"case": free_case, "clientSeed": seed, "price": 10.53, "requestId": "r-1"}

    opened = socket.call("case:open", request)

    assert opened == {"status": True, "result": {"success": True, "amount": 55, "item": DEAR}}
    after = me(lucky)
    assert (after["balance"], after["freeCases"], after["experience"]) == (before["balance"] + 55, 1, 0)
    opened_once = state_of(lucky)
    assert socket.call("case:open", {"case": free_case}) == REFUSED
    assert socket.call("case:open", request) == opened
    assert state_of(lucky) == opened_once


def test_a_free_opening_adds_to_earnings_only(app, connect, client, lucky, free_case, winning):
    watching = connect()
    watching.expect("live-bets")

    connect(lucky).call("case:open", {"case": free_case, "clientSeed": winning(DEAR, free_case)})

    bet = watching.expect("live-bets:new")
    assert (bet["game"], bet["wager"], bet["multiplier"], bet["payout"]) == ("case", 0, 0, 55)
    profile = client.get("/stats/profile", headers=lucky.headers).json
    assert (profile["wagerAmount"], profile["earningAmount"]) == (0, 55)
    if "processes" not in app.extensions:
        assert 'bets_paid_coins_total{game="case"} 0.0' in client.get("/metrics").text


@pytest.mark.parametrize(
    "limit", [pytest.param(limit, marks=pytest.mark.settings(FREE_CASE_LIMIT=str(limit))) for limit in (0, 2)]
)
def test_free_case_limit_is_the_number_of_free_openings(connect, lucky, free_case, limit):
    socket = connect(lucky)

    answers = [socket.call("case:open", {"case": free_case})["status"] for _ in range(limit + 1)]

    assert answers == [True] * limit + [False]


def test_a_level_case_needs_its_level_before_the_opening(connect, me, new_player, put, items):
    put("Level 2 Box", {DEAR: 10, CHEAP: 90}, kind="level")
    put("Level Zero", {DEAR: 10, CHEAP: 90}, kind="level", level=0)
    junior, senior = new_player("junior", level=1), new_player("senior", level=2)

    # The price would raise the junior's level to 2.
    assert connect(junior).call("case:open", {"case": "level-2-box"})["error"] == "Your level is too low"
    assert connect(senior).call("case:open", {"case": "level-2-box"})["status"] is True
    assert connect(new_player("beginner")).call("case:open", {"case": "level-zero"})["status"] is True
    assert me(senior)["experience"] == 410


@pytest.mark.security("Limits and breaks")
def test_an_excluded_player_is_refused_the_free_case_as_a_bet(client, connect, me, lucky, free_case):
    client.post("/limits/exclusion", json={"duration": "permanent"}, headers=lucky.headers)

    refused = connect(lucky).call("case:open", {"case": free_case})

    assert refused == {"status": False, "error": "You have excluded yourself permanently"}
    assert me(lucky)["freeCases"] == 0
