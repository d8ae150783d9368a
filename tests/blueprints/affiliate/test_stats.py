"""GET /affiliate/stats: what each referred player has earned for the owner of the code."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from models.affiliates import Referral
from models.db.connection import writing
from tests.support.markers import sqlite_only
from tests.support.statements import recorded_statements


@pytest.fixture
def queries_of():
    """Runs a function; returns the number of statements that it sent to the database."""

    def count(function):
        with recorded_statements() as statements:
            function()
        return len(statements)

    return count


def earned_by(stats, owner):
    return {entry["username"]: entry["earned"] for entry in stats(owner)}


@sqlite_only
def test_the_statistics_without_a_used_code_are_empty(stats, player, owner):
    assert stats(player) == stats(owner) == []


def test_deposits_and_withdrawals_after_the_code_was_used_count(stats, owner, refer, pay):
    alice = refer()
    pay(alice, "deposit", "100.50")
    pay(alice, "deposit", "49.50")
    pay(alice, "withdraw", "40.25")

    (entry,) = stats(owner)

    assert (entry["deposited"], entry["withdraws"]) == (150, 40.25)
    # (150 - (40.25 + 0.2)) * 0.08 = 8.764
    assert entry["earned"] == 8.76


@sqlite_only
def test_payments_before_the_code_was_used_do_not_count(stats, overview, owner, player, use_code, pay):
    pay(player, "deposit", 500)
    pay(player, "withdraw", 50)
    use_code(player, "OWNER")

    (entry,) = stats(owner)

    assert (entry["deposited"], entry["withdraws"], entry["earned"]) == (0, 0, -0.02)
    assert (overview(owner)["totalDeposits"], overview(owner)["totalWithdraws"]) == (0, 0)


def test_a_payment_that_is_reported_twice_counts_once(stats, owner, refer, run, fails):
    alice = refer()
    for _ in range(2):
        run("payments", "record", alice.platform_id, "deposit", "10", "--txhash", "0xabc")
    # More than the balance.
    fails("payments", "record", alice.platform_id, "withdraw", "110.21")

    assert (stats(owner)[0]["deposited"], stats(owner)[0]["withdraws"]) == (10, 0)


@sqlite_only
def test_granted_and_wagered_coins_are_not_deposits(stats, owner, refer, connect, add_item):
    alice = refer(coins=1000)
    connect(alice).spin({"amount": 10, "item": add_item(price=20)})

    (entry,) = stats(owner)

    assert (entry["deposited"], entry["withdraws"], entry["earned"]) == (0, 0, -0.02)


@sqlite_only
def test_earnings_are_rounded_down_to_the_cent(stats, owner, refer, pay):
    # In cents, with the bonus of 20 and times 0.08: 1.04 0.96 0.08 0 -0.08, and withdrawn: -1.6 -1.68 -8.
    deposits = {"a13": "0.33", "b12": "0.32", "c1": "0.21", "d0": "0.20", "e-1": "0.19"}
    withdrawals = {"f0": 0, "g1": "0.01", "h80": "0.80"}
    for username, usd in deposits.items():
        pay(refer(username + "-"), "deposit", usd)
    for username, usd in withdrawals.items():
        alice = refer(username + "-")
        if usd:
            pay(alice, "withdraw", usd)

    assert earned_by(stats, owner) == {
        "a13-": 0.01,
        "b12-": 0,
        "c1-": 0,
        "d0-": 0,
        "e-1-": -0.01,
        "f0-": -0.02,
        "g1-": -0.02,
        "h80-": -0.08,
    }


MOST_CENTS = 10**13


@pytest.mark.slow
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    deposited=st.integers(0, MOST_CENTS),
    withdrawn=st.integers(0, MOST_CENTS),
    tier=st.sampled_from(
        [(0, "0.08"), (500_000, "0.1"), (1_000_000, "0.12"), (5_000_000, "0.2"), (10_000_000, "0.25")]
    ),
)
@example(deposited=MOST_CENTS, withdrawn=0, tier=(10_000_000, "0.25"))
@example(deposited=0, withdrawn=MOST_CENTS - 3, tier=(1_000_000, "0.12"))
def test_commission_is_exact_to_the_cent_for_any_amount(
    stats, overview, owner, refer, lose, deposited, withdrawn, tier
):
    loss, rate = tier
    stats(owner) or refer()  # all examples of a test share one database
    lose(owner, loss)
    with writing():
        Referral.update(deposited_cents=deposited, withdrawn_cents=withdrawn).execute()

    earned = floor((deposited - (withdrawn + 20)) * Fraction(rate))
    assert stats(owner)[0]["earned"] == earned / 100
    assert overview(owner)["totalEarnings"] == max(earned, 0) / 100


def test_the_most_profitable_player_comes_first_then_the_earlier_one(stats, owner, refer, pay):
    players = {name: refer(name) for name in ("zoe", "amy", "max", "eve", "bob")}
    # Different deposits, the same whole cents of commission: 10.20 and 10.21 both bring 0.80.
    pay(players["amy"], "deposit", "10.21")
    pay(players["zoe"], "deposit", "10.20")
    pay(players["eve"], "deposit", "99")

    assert [entry["username"] for entry in stats(owner)] == ["eve", "zoe", "amy", "max", "bob"]


@sqlite_only
def test_the_owners_rate_applies_to_every_player(stats, owner, refer, pay, lose):
    pay(refer("alice"), "deposit", "1000.20")
    pay(refer("bob"), "deposit", "10.20")

    lose(owner, 100_000_00)

    assert earned_by(stats, owner) == {"alice": 250, "bob": 2.5}


@sqlite_only
def test_players_who_used_another_code_are_not_shown(stats, owner, refer, new_player, set_code, use_code):
    other = new_player("other")
    set_code(other, "OTHER")
    use_code(new_player("bob"), "OTHER")
    refer("alice")

    assert [entry["username"] for entry in stats(owner)] == ["alice"]
    assert [entry["username"] for entry in stats(other)] == ["bob"]


@sqlite_only
def test_the_number_of_queries_does_not_grow_with_the_players(queries_of, stats, overview, owner, refer):
    refer("alice")
    one = queries_of(lambda: stats(owner)), queries_of(lambda: overview(owner))
    for number in range(10):
        refer(f"player{number}")

    many = queries_of(lambda: stats(owner)), queries_of(lambda: overview(owner))

    assert len(stats(owner)) == 11
    assert many == one
    assert 0 < max(many) <= 6
