"""Battles in the figures of each day, and in what the house owes."""

from fractions import Fraction
from itertools import product

import pytest

from models.db.connection import reading, repeatable_read
from models.figures import DailyFigures
from services.figures import liabilities, returns
from services.maintenance import fairness
from services.shared.clock import DAY_MS
from tests.services.figures.conftest import NOW
from tests.support.battles import Battles

TODAY = NOW - NOW % DAY_MS
CASE = ((100, Fraction(9, 10)), (4000, Fraction(1, 10)))
"""The items of the case that is played: cents and chance."""


@pytest.fixture
def battles(app):
    return Battles(app)


@pytest.fixture
def alice(new_player):
    return new_player("alice", coins=1_000)


@pytest.fixture
def bob(new_player):
    return new_player("bob", coins=1_000)


@reading()
def figures():
    (row,) = DailyFigures.select()
    return row


def mean_and_variance(*seats):
    """Of what the players get in a battle of one case, each seat for itself, over all that can be drawn.

    ``seats`` says which are players'. The seats with the highest item win the pot with equal chances.
    """
    first, second = Fraction(0), Fraction(0)
    for drawn in product(CASE, repeat=len(seats)):
        chance, prices = Fraction(1), [cents for cents, _ in drawn]
        for _, each in drawn:
            chance *= each
        best = [seat for seat, cents in enumerate(prices) if cents == max(prices)]
        wins = Fraction(sum(seats[seat] for seat in best), len(best))
        first += chance * wins * sum(prices)
        second += chance * wins * sum(prices) ** 2
    return float(first), float(second - first**2)


@pytest.mark.both_databases("services/figures/battle_figures.py")
def test_a_battle_of_players_is_expected_to_pay_what_its_items_are_worth(battles, alice, bob, run):
    battle = battles.play(alice, bob, wins=1)

    found = figures()
    assert (found.day_starts_at_ms, found.game, found.bets) == (TODAY, "battle", 2)
    assert found.wagered_cents == 2 * battle.cost_cents
    assert found.largest_cents == 8000
    mean, variance = mean_and_variance(True, True)
    assert found.expected_cents == pytest.approx(mean)
    assert found.variance_square_cents == pytest.approx(variance)
    assert run("ledger", "audit")["mismatches"] == 0


def test_the_variance_of_players_against_bots_is_exact(battles, alice, bob):
    battles.play(alice, None, bob)

    mean, variance = mean_and_variance(True, False, True)
    assert figures().expected_cents == pytest.approx(mean)
    assert figures().variance_square_cents == pytest.approx(variance)


def test_the_variance_of_a_pot_that_a_player_shares_with_a_bot_is_a_bound(battles, alice):
    battles.play(alice, None, mode="shared")

    mean, variance = mean_and_variance(True)
    assert figures().expected_cents == pytest.approx(mean)
    assert figures().variance_square_cents == pytest.approx(variance + mean**2)
    assert figures().variance_square_cents > variance / 2


def test_the_report_the_scan_and_the_rebuild_agree_about_battles(battles, alice, bob, table, log, run):
    table.spin(alice)
    log.append_now()
    battles.play(alice, bob)
    battles.play(alice, None, times=2)

    lines = returns.lines(since=TODAY, until=TODAY + DAY_MS, groups=[returns.Group.GAME])

    assert [(line.group, line.figures.bets) for line in lines] == [(("battle",), 3), (("upgrader",), 1)]
    (scanned,) = fairness.figures_of_days().values()
    kept = returns.total(lines).paid_for
    assert (kept.bets, kept.wagered, kept.paid, kept.largest) == (
        scanned.bets,
        scanned.wagered,
        scanned.paid,
        scanned.largest,
    )
    assert kept.variance == pytest.approx(scanned.variance)
    assert run("ledger", "rebuild")["dailyFigures"] == 2
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("services/figures/liabilities.py")
def test_the_seats_of_players_are_owed_until_battles_end_and_those_of_bots_are_not(
    battles, alice, bob, clock
):
    def owed():
        with repeatable_read():
            return liabilities.present()

    def owed_at(time):
        with repeatable_read():
            return liabilities.at(time)

    before = owed()
    locked = battles.open(alice, None, bob, teams="1v1v1")
    battles.open(bob, None, teams="1v1v1")
    refunded = battles.void(battles.open(alice, None))
    held = owed()
    assert held.battles_cents == 3 * locked.cost_cents
    assert held.total == before.total
    midnight = TODAY + DAY_MS
    clock.now = midnight + 60_000
    battles.settle(locked)
    battles.play(alice, bob)
    battles.open(alice, bob)

    assert refunded.state == "void"
    assert owed_at(midnight) == held
    assert owed().battles_cents == 3 * locked.cost_cents
