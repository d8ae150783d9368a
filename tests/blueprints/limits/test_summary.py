"""GET /limits/summary: the sums of the current periods and of all bets."""

import pytest

from tests.harness.spins import at
from tests.support.table import Table

NOTHING = {"wagered": 0, "paid": 0, "net": 0}


@pytest.fixture
def spin(app, player):
    """Plays a spin for an item of ten coins."""
    table = Table(app)
    return lambda wager, **options: table.spin(player, wager=wager, **options)


@pytest.fixture
def summary(client, player):
    return lambda: client.get("/limits/summary", headers=player.headers).json


def test_each_period_has_its_own_bets(spin, summary, clock):
    assert summary() == dict.fromkeys(("day", "week", "month", "total"), NOTHING)
    for time, wager in (
        ("2026-10-31 23:59", "1.01"),
        ("2026-11-01 00:00", "0.20"),
        ("2026-11-16 00:00", "3"),
        ("2026-11-22 23:59", "0.04"),
    ):
        clock.now = at(time)
        spin(wager)

    assert {period: sums["wagered"] for period, sums in summary().items()} == {
        "day": 0.04,
        "week": 3.04,
        "month": 3.24,
        "total": 4.25,
    }
    clock.now = at("2026-11-23 00:00")
    assert [summary()[period]["wagered"] for period in ("day", "week", "month")] == [0, 0, 3.24]


@pytest.mark.regulation("2.5.7 Transaction log")
def test_the_net_position_is_payouts_minus_wagers(spin, summary):
    spin("2.50")
    spin("9", wins=True)

    assert summary()["day"] == {"wagered": 11.5, "paid": 10, "net": -1.5}
    spin("9", wins=True)
    assert summary()["total"] == {"wagered": 20.5, "paid": 20, "net": -0.5}
