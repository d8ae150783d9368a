"""The figures of reports, for bets whose results were computed by hand."""

from math import sqrt

import pytest

from services.figures import returns
from services.figures.returns import Group
from tests.services.figures.conftest import NOW
from tests.support.openings import chest

DAY_MS = 24 * 3600 * 1000
TODAY = NOW - NOW % DAY_MS
PERIOD = {"since": TODAY, "until": TODAY + DAY_MS}


@pytest.fixture
def played(client, table, openings, player, new_player, log, clock):
    """A won and a lost spin, an opening of a case, one of the free case, and a spin of the next day."""
    owner = new_player("owner")
    for by, path in ((owner, "set-code"), (player, "use-code")):
        client.post(f"/affiliate/{path}", headers=by.headers, json={"code": "FRIEND"})
    table.spin(player, wager=2, price=10, wins=True)
    table.spin(player, wager=2, price=10)
    openings.open(player, chest("desk"), wins="Crown")
    openings.open(player, chest("free-case"))
    clock.advance(days=1)
    table.spin(player, wager=50, price=100)
    log.append_now()


@pytest.mark.usefixtures("played")
def test_wagers_payouts_and_revenue_are_summed_by_game():
    """A free opening pays one coin and takes nothing; the desk's mean is 4.90 coins, as the free case's."""
    opened, spun = returns.lines(groups=[Group.GAME], **PERIOD)

    assert (spun.group, spun.figures.bets) == (("upgrader",), 2)
    assert (spun.figures.wagered, spun.figures.paid, spun.figures.revenue) == (400, 1000, -600)
    assert spun.figures.expected_revenue == 20
    assert (opened.group, opened.figures.bets) == (("case",), 2)
    assert (opened.figures.wagered, opened.figures.paid, opened.figures.revenue) == (500, 4100, -3600)
    assert opened.figures.expected_revenue == 500 - 490 - 490


@pytest.mark.usefixtures("played")
def test_the_band_holds_999_of_1000_returns():
    """Two spins with a chance of 19 % to get ten coins for two."""
    (line,) = returns.lines(groups=[], game="upgrader", **PERIOD)

    width = 3.2905 * sqrt(2 * 0.19 * 0.81) * 10 / 4
    assert line.figures.return_to_player == 2.5
    assert line.figures.expected_return == pytest.approx(0.95)
    assert line.figures.band == pytest.approx((0.0, 0.95 + width))
    assert line.figures.is_in_band


@pytest.mark.usefixtures("played")
def test_free_openings_do_not_count_in_the_return_to_player():
    """One opening for 5 coins paid 40; the free one would change the quotient."""
    by_case = dict(returns.lines(groups=[Group.CASE], game="case", **PERIOD))

    assert by_case["desk",].return_to_player == 8
    assert by_case["free-case",].return_to_player is None
    assert by_case["free-case",].revenue == -100


@pytest.mark.usefixtures("played")
def test_a_period_begins_and_ends_with_days_in_utc():
    by_day = returns.lines(groups=[Group.DAY], since=TODAY, until=TODAY + 2 * DAY_MS)

    assert [(line.group[0], line.figures.wagered) for line in by_day] == [
        ("2026-03-18", 900),
        ("2026-03-19", 5000),
    ]
    assert returns.total(by_day).bets == 5
