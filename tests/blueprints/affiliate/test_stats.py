"""GET /affiliate/stats: what each referred player has earned for the owner of the code."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from models.db.connection import writing
from models.ledger import Referral


def test_deposits_and_withdrawals_after_the_code_was_used_count(stats, owner, refer, pay):
    alice = refer()
    pay(alice, "deposit", "100.50")
    pay(alice, "deposit", "49.50")
    pay(alice, "withdraw", "40.25")

    (entry,) = stats(owner)

    assert (entry["deposited"], entry["withdraws"]) == (150, 40.25)
    # (150 - (40.25 + 0.2)) * 0.08 = 8.764
    assert entry["earned"] == 8.76


def test_payments_before_the_code_was_used_do_not_count(stats, overview, owner, player, use_code, pay):
    pay(player, "deposit", 500)
    pay(player, "withdraw", 50)
    use_code(player, "OWNER")

    (entry,) = stats(owner)

    assert (entry["deposited"], entry["withdraws"], entry["earned"]) == (0, 0, -0.02)
    assert (overview(owner)["totalDeposits"], overview(owner)["totalWithdraws"]) == (0, 0)


@pytest.mark.security("Promo codes")
def test_a_payment_that_is_reported_twice_counts_once(stats, owner, refer, run, fails):
    alice = refer()
    for _ in range(2):
        run("payments", "record", alice.platform_id, "deposit", "10", "--txhash", "0xabc")
    # More than the balance.
    fails("payments", "record", alice.platform_id, "withdraw", "110.21")

    assert (stats(owner)[0]["deposited"], stats(owner)[0]["withdraws"]) == (10, 0)


MOST_CENTS = 10**13


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    deposited=st.integers(0, MOST_CENTS),
    withdrawn=st.integers(0, MOST_CENTS),
    tier=st.sampled_from(
        [(0, "0.08"), (500_000, "0.1"), (1_000_000, "0.12"), (5_000_000, "0.2"), (10_000_000, "0.25")]
    ),
)
@example(deposited=33, withdrawn=0, tier=(0, "0.08"))  # 1.04 cents
@example(deposited=32, withdrawn=0, tier=(0, "0.08"))  # 0.96 cents
@example(deposited=19, withdrawn=0, tier=(0, "0.08"))  # -0.08 cents
@example(deposited=0, withdrawn=80, tier=(0, "0.08"))  # exactly -8 cents
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


@pytest.mark.both_databases("services/wallet/affiliates.py")
def test_the_most_profitable_player_comes_first_then_the_earlier_one(stats, owner, refer, pay):
    players = {name: refer(name) for name in ("zoe", "amy", "max", "eve", "bob")}
    # Different deposits, the same whole cents of commission: 10.20 and 10.21 both bring 0.80.
    pay(players["amy"], "deposit", "10.21")
    pay(players["zoe"], "deposit", "10.20")
    pay(players["eve"], "deposit", "99")

    assert [entry["username"] for entry in stats(owner)] == ["eve", "zoe", "amy", "max", "bob"]


def test_the_number_of_queries_does_not_grow_with_the_players(queries, stats, overview, owner, refer):
    counts = []
    for number in range(10):
        refer(f"player{number}")
        queries.clear()
        assert overview(owner)["totalAffiliates"] == len(stats(owner)) == number + 1
        counts.append(len(queries))

    assert counts == [counts[0]] * 10
