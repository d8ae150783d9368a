"""GET /stats/profile: lifetime totals."""


def test_a_players_own_wagers_and_payouts_count_at_once(ask, spin, alice, bob):
    spin(bob, wins=True)
    none = {"wagerAmount": 0, "earningAmount": 0, "depositAmount": 0, "withdrawAmount": 0}
    assert ask("profile", alice) == none

    spin(alice, wager="1.25", price=10, wins=True)
    spin(alice, wager="0.5", price=2)

    assert ask("profile", alice) == none | {"wagerAmount": 1.75, "earningAmount": 10}
