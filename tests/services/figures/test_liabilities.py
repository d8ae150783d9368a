"""What the house owed at the end of each day, whenever it was taken."""

import pytest

from models.db.connection import repeatable_read
from services.figures import liabilities
from services.figures.liabilities import Liabilities
from services.wallet import vault
from tests.harness.spins import at
from tests.support.openings import win_prize

MIDNIGHT = at("2026-03-19 00:00")
DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def store(clock):
    return lambda: liabilities.store_due(now=clock())


@pytest.fixture
def owed():
    """What is owed now."""

    def read():
        with repeatable_read():
            return liabilities.present()

    return read


@pytest.fixture
def move_coins(app, player, table, clock):
    """Changes each account: a spin, the vault, a requested withdrawal, a prize, a deposit."""

    def move():
        services = app.extensions["services"]
        table.spin(player, wager=1)
        vault.lock(user_id=player.id, amount=3, deadline=clock() + DAY_MS, now=clock())
        services.withdrawals.request(
            user_id=player.id, method="demo", amount=500, to="there", idempotency_key=None, now=clock()
        )
        win_prize(app, player, value=25, price=5)

    return move


def stored():
    return {(each.day - MIDNIGHT) // DAY_MS: each for each in liabilities.by_day(0, MIDNIGHT + 99 * DAY_MS)}


@pytest.mark.both_databases("services/figures/liabilities.py")
def test_all_that_the_house_owes_is_summed(player, move_coins, owed, run):
    """Of 100 coins one is lost, five pay for an opening, three and five are moved."""
    run("payments", "record", player.platform_id, "deposit", "10")

    move_coins()

    # A deposit also adds its sweepstake balance.
    assert owed() == Liabilities(9600, 300, owed().sweepstake_cents, 500, 2500, 0)
    assert owed().total == 12900


@pytest.mark.both_databases("services/figures/liabilities.py")
def test_a_day_ends_with_what_was_owed_at_midnight(store, move_coins, owed, clock):
    store()
    move_coins()
    at_midnight = owed()
    clock.now = MIDNIGHT
    move_coins()
    clock.advance(seconds=61)

    store()

    assert stored()[-1].is_final
    assert stored()[-1].owed == at_midnight
    assert stored()[0].owed == owed() != at_midnight
    clock.advance(hours=1)
    store()
    assert stored()[-1].owed == at_midnight


def test_days_in_which_no_process_ran_are_made_up_for(store, move_coins, owed, clock):
    store()
    move_coins()
    before = owed()
    clock.now = MIDNIGHT + 3 * DAY_MS + 61_000
    move_coins()

    store()

    assert [stored()[day].owed for day in (-1, 0, 1, 2)] == [before] * 4
    assert stored()[3].owed == owed()


def test_the_figures_of_today_are_taken_every_five_minutes(store, move_coins, owed, clock):
    store()
    before = liabilities.newest()
    move_coins()
    clock.advance(minutes=4)
    store()
    assert liabilities.newest() == before
    clock.advance(minutes=1)

    store()

    assert not liabilities.newest().is_final
    assert liabilities.newest().owed == owed()
