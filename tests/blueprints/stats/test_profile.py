"""GET /stats/profile: lifetime totals."""


def test_a_new_player_has_no_totals(ask, alice):
    assert ask("profile", alice) == {
        "wagerAmount": 0,
        "earningAmount": 0,
        "depositAmount": 0,
        "withdrawAmount": 0,
    }


def test_wagers_and_payouts_count_at_once(ask, spin, alice):
    spin(alice, wager="1.25", price=10, wins=True)
    spin(alice, wager="0.5", price=2)

    totals = ask("profile", alice)

    assert (totals["wagerAmount"], totals["earningAmount"]) == (1.75, 10)


def test_another_players_bets_do_not_count(ask, spin, alice, bob):
    spin(bob, wins=True)

    assert ask("profile", alice)["wagerAmount"] == 0
