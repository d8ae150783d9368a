"""The report of rewards, the tile on the overview, and the rewards of a player."""

import re

import pytest

from services.rewards import grants
from services.shared.clock import DAY_MS, iso_date
from tests.blueprints.office.test_reports import file_of, rows_of
from tests.harness.players import import_case, import_prices
from tests.support.office import signed_in
from tests.support.table import Table

REASON = "for waiting so long"


@pytest.fixture
def clock(clock):
    """No day ends in a test."""
    clock.ms -= clock.ms % DAY_MS - DAY_MS // 2
    return clock


@pytest.fixture
def given(app, clock, player):
    """A grant of five coins that was claimed, and one that was not; the platform id of the player."""
    for coins in (5_00, 7_00):
        grant = grants.grant(user_id=player.id, coins=coins, reason=REASON, now=clock())
        if coins == 5_00:
            app.extensions["services"].rewards.claim(user_id=player.id, reward_id=str(grant.id))
    return player.platform_id


@pytest.mark.usefixtures("given")
@pytest.mark.both_databases("services/figures/reward_costs.py")
def test_rewards_are_reported_by_day_and_kind_beside_the_expected_win(app, compliance, player, clock):
    Table(app).spin(player, wager=20, price=100)
    app.extensions["services"].log.append_now()

    page = compliance.get("/office/reports/rewards")

    day = iso_date(clock())
    _, line, total = rows_of(page, "Cost of rewards by day and kind")
    assert [line[0], *line[-3:]] == [day, "5.00", "1.00", "500.0%"]
    assert line[5] == "5.00"
    assert total == ["Total", *line[1:]]
    header, row = file_of(compliance.get("/office/reports/rewards.csv"))
    assert dict(zip(header, row, strict=True)) == {
        "day": day,
        **dict.fromkeys(["rakeback", "level", "daily", "bonus", "code"], "0.00"),
        "grant": "5.00",
        "total": "5.00",
        "expected win": "1.00",
        "share of the expected win": "5.000000",
    }


def test_a_used_free_opening_costs_what_its_case_pays_on_average(app, compliance, player, connect):
    import_prices({"Dear": 55, "Cheap": 5})
    import_case("Box", {"Dear": 10, "Cheap": 90})
    to = f"/office/players/{player.platform_id}"
    signed_in(app, "support").act(to, "reward", amount="", case="box", reason=REASON)
    reward = rows_of(compliance.get(f"{to}/rewards"), "Rewards of the player, the newest first")[1]
    assert reward[1:6] == ["grant", "offered", "", "box", "10.00"]

    assert connect(player).call("case:open", {"case": "box", "reward": reward[0]})["status"]
    app.extensions["services"].log.append_now()

    (line,) = rows_of(compliance.get("/office/reports/rewards"), "Cost of rewards by day and kind")[1:-1]
    assert line[-3:] == ["10.00", "0.00", "\u2013"]


@pytest.mark.usefixtures("given")
def test_the_report_says_what_the_alarm_has_looked_at(compliance):
    page = compliance.get("/office/reports/rewards")

    assert "Rewards of the last 7 days cost $5.00, and the expected win is $0.00." in page.text


@pytest.mark.usefixtures("given")
def test_the_overview_has_the_cost_of_today(compliance):
    tile = re.search(r"Cost of rewards</a>\s*<strong>.*?</strong>", compliance.get("/office/").text)[0]

    assert ">5.00<" in tile


def test_the_page_of_a_player_lists_the_rewards(app, given):
    support = signed_in(app, "support")

    page = support.get(f"/office/players/{given}/rewards")

    offered, claimed = rows_of(page, "Rewards of the player, the newest first")[1:]
    assert [offered[1:4], claimed[1:4]] == [["grant", "offered", "7.00"], ["grant", "claimed", "5.00"]]
    assert claimed[-1] == REASON
    assert [row[3] for row in file_of(support.get(f"/office/players/{given}/rewards?format=csv"))] == [
        "coins",
        "7.00",
        "5.00",
    ]
