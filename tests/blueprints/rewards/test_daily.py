"""The daily free opening: the best level case that a share of the last seven days' expected win pays for."""

import pytest

from services.accounts import users
from services.rewards import expected_wins
from services.rewards.expected_wins import ExpectedWins
from services.shared.clock import DAY_MS
from tests.blueprints.limits.conftest import NOW
from tests.harness.players import import_case
from tests.harness.spins import play_spin
from tests.support.apps import ITEM

NOTHING = {"status": False, "error": "There is nothing to claim"}
MIDNIGHT = NOW - NOW % DAY_MS + DAY_MS
TEN, FIFTY = "Ten | Cents", "Fifty | Cents"


@pytest.fixture
def settings(settings):
    return settings | {"DAILY_SHARE": "0.1"}


@pytest.fixture
def level_cases(add_item):
    """Two cases for everybody, which pay 10 and 50 cents, one for level 50, and a regular one."""
    add_item(TEN, price=0.1)
    add_item(FIFTY, price=0.5)
    import_case("Level Ten", {TEN: 100}, kind="level", level=0)
    import_case("Level Fifty", {FIFTY: 100}, kind="level", level=0)
    import_case("Level High", {TEN: 50, FIFTY: 50}, kind="level", level=50)
    import_case("Regular", {TEN: 90, FIFTY: 10})


@pytest.fixture
def spend(app, player, clock, add_item, change_player):
    """Lets the player wager so many coins at an edge of 5 %."""
    add_item(price=10_000)

    def spend(coins):
        change_player(balance_cents=coins * 100)
        play_spin(app, player, ITEM, amount=coins, clock=clock)

    return spend


@pytest.fixture
def open_case(connect, player):
    socket = connect(player)
    return lambda case, **fields: socket.call("case:open", {"case": case, "reward": "daily"} | fields)


@pytest.mark.both_databases("services/rewards/daily.py", "services/rewards/expected_wins.py")
def test_the_best_case_of_a_day_is_opened_once(level_cases, spend, clock, rewards, open_case):
    """140 coins cost 7 at an edge of 5 %, a tenth of which is ten cents a day for seven days."""
    spend(140)
    shown = {"id": "daily", "availableAt": MIDNIGHT}
    assert rewards()["daily"] == shown | {"case": None, "state": None, "needed": 0}
    assert open_case("level-ten") == NOTHING

    clock.advance(days=1)
    shown = {"id": "daily", "availableAt": MIDNIGHT + DAY_MS, "needed": 0}
    assert rewards()["daily"] == shown | {"case": "level-ten", "state": "offered"}
    assert open_case("level-fifty")["error"] == "This reward is for another case"
    assert open_case("level-ten", requestId="r-1")["result"]["item"] == TEN

    assert rewards()["daily"] == shown | {"case": "level-ten", "state": "used"}
    assert open_case("level-ten") == NOTHING
    assert open_case("level-ten", requestId="r-1")["result"]["item"] == TEN
    clock.advance(days=1)
    assert open_case("level-ten")["status"] is True


def test_the_case_follows_from_the_seven_days_before_today(level_cases, spend, clock, rewards):
    spend(700)
    cases = []
    for _ in range(8):
        clock.advance(days=1)
        cases.append(rewards()["daily"]["case"])

    assert cases == ["level-fifty"] * 7 + [None]


def test_the_wagers_that_are_missing_for_tomorrow_count_those_of_today(level_cases, spend, clock, rewards):
    assert rewards()["daily"]["needed"] == 140
    spend(139)
    assert rewards()["daily"]["needed"] == 1

    clock.advance(days=1)
    assert rewards()["daily"]["needed"] == 1
    spend(1)
    assert rewards()["daily"]["needed"] == 0


def test_a_case_that_the_player_has_no_level_for_is_none(add_item, clock, rewards, spend):
    add_item(TEN, price=0.1)
    import_case("Level Ten", {TEN: 100}, kind="level", level=50)
    spend(700)
    clock.advance(days=1)

    assert rewards()["daily"] == {
        "id": "daily",
        "case": None,
        "state": None,
        "availableAt": MIDNIGHT + DAY_MS,
        "needed": None,
    }


@pytest.mark.security("Rewards")
def test_a_case_whose_items_have_become_dearer_is_replaced(level_cases, add_item, clock, open_case, spend):
    """So nobody keeps the offer of a day until the case is worth more."""
    spend(700)
    clock.advance(days=1)
    assert open_case("level-fifty", snapshot="0" * 64)["error"] == "Case has changed"

    add_item(FIFTY, price=0.51)

    assert open_case("level-fifty")["error"] == "This reward is for another case"
    assert open_case("level-ten")["status"] is True


def test_a_retired_case_is_not_offered(level_cases, clock, rewards, run, spend):
    spend(700)
    clock.advance(days=1)
    run("cases", "retire", "Level Fifty")

    assert rewards()["daily"]["case"] == "level-ten"


def test_free_openings_pay_for_no_further_ones(app, level_cases, clock, open_case, player, spend):
    spend(140)
    clock.advance(days=1)
    before = users.get_by_id(player.id).theoretical_loss_ucents

    open_case("level-ten")

    assert users.get_by_id(player.id).theoretical_loss_ucents == before
    assert ExpectedWins().of_today(users.get_by_id(player.id), now=clock()) == 0


def test_without_a_share_there_is_none(make_app, clock, player, level_cases, spend):
    spend(700)
    clock.advance(days=1)
    client = make_app(clock=clock, DAILY_SHARE="0").test_client()

    assert client.get("/rewards", headers=player.headers).json["data"]["daily"] is None


def test_of_very_many_bets_in_the_seven_days_the_newest_count(clock, monkeypatch, player, spend):
    for coins in (8, 4, 2):
        spend(coins)
        clock.advance(days=1)
    spend(100)
    ucents = 100 * 50_000

    assert ExpectedWins().of_last_days(player.id, now=clock()) == [0] * 4 + [c * ucents for c in (8, 4, 2)]
    monkeypatch.setattr(expected_wins, "MOST_BETS", 2)
    assert ExpectedWins().of_last_days(player.id, now=clock()) == [0] * 5 + [4 * ucents, 2 * ucents]


def test_of_very_many_bets_today_the_newest_count_and_all_further_ones(clock, monkeypatch, player, spend):
    monkeypatch.setattr(expected_wins, "MOST_BETS", 2)
    wins, ucents = ExpectedWins(), 100 * 50_000
    sums = []
    for coins in (8, 4, 2):
        spend(coins)
    for coins in (1, 16):
        sums.append(wins.of_today(users.get_by_id(player.id), now=clock()))
        spend(coins)

    assert sums == [6 * ucents, 7 * ucents]
