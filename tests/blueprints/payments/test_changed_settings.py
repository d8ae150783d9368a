"""Payments whose provider is not set up any more wait for it, and nothing of them is lost."""

import pytest


@pytest.fixture
def without(make_app, clock, settings):
    """The services of the app after a restart with other payment methods."""
    return make_app(clock=clock, **settings | {"PAYMENT_METHODS": ""}).extensions["services"]


def test_a_withdrawal_waits_for_its_provider(
    withdraw, fake, without, clock, end_lease, send_payouts, status_of, balance
):
    made = withdraw()

    without.payout_sender.run(now=clock())
    end_lease()

    assert (status_of(made), balance(), fake.payouts) == ("approved", 75, [])
    send_payouts()
    assert status_of(made) == "sent"
