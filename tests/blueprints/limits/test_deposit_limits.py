"""Limits of deposits concern no bet. tests/blueprints/payments/test_limits.py has what they refuse."""

from services.shared.clock import CalendarPeriod


def test_a_bet_is_not_affected(put, spins_of, player):
    for period in CalendarPeriod:
        put(0, "deposit", period)

    assert spins_of(player)(1)["status"] is True
