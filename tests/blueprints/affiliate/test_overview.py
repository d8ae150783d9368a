"""GET /affiliate/overview: an owner's commission and the sums over all referred players."""

import pytest


def test_the_overview_without_a_code_is_zero(overview, player):
    assert overview(player) == {
        "commissionPercentage": 0.08,
        "totalDeposits": 0,
        "totalWithdraws": 0,
        "totalAffiliates": 0,
        "totalEarnings": 0,
        "availableEarnings": 0,
    }


@pytest.mark.both_databases("services/wallet/affiliates.py")
def test_the_totals_are_sums_over_the_referred_players(overview, owner, refer, pay, lose):
    alice, bob = refer("alice"), refer("bob")
    lose(alice, 10_000_00)
    lose(bob, 10_000_00)
    pay(alice, "deposit", "100.32")
    pay(bob, "deposit", "50.32")
    pay(bob, "withdraw", "10.01")

    # 0.08 * 100.12 = 8.0096 and 0.08 * 40.11 = 3.2088, each down to the cent.
    assert overview(owner) == {
        "commissionPercentage": 0.08,
        "totalDeposits": 150.64,
        "totalWithdraws": 10.01,
        "totalAffiliates": 2,
        "totalEarnings": 11.2,
        "availableEarnings": 11.2,
    }


TIERS = {
    (0, 0): 0.08,
    (0, 1_00): 0.08,
    (4_999_99, 0): 0.08,
    (5_000_00, 0): 0.1,
    (9_999_99, 0): 0.1,
    (10_000_00, 0): 0.12,
    (49_999_99, 0): 0.12,
    (50_000_00, 0): 0.2,
    (99_999_99, 0): 0.2,
    (100_000_00, 0): 0.25,
    (900_000_000_00, 0): 0.25,
    # What was won back does not count as lost, and who has won more than they wagered has lost nothing.
    (200_000_00, 100_000_00): 0.25,
    (200_000_00, 100_000_01): 0.2,
    (104_999_99, 100_000_00): 0.08,
    (1_00, 900_000_00): 0.08,
}


def test_the_commission_depends_on_the_owners_own_loss(overview, player, lose):
    told = {}

    for wagered, earned in TIERS:
        lose(player, wagered, earned)
        told[wagered, earned] = overview(player)["commissionPercentage"]

    assert told == TIERS
