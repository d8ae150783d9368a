"""What the provider does not do: waited for if it can be mended, and the coins come back if not."""

from decimal import Decimal

import pytest

from tests.blueprints.payments.conftest import CREATE_PAYOUT
from tests.harness.btcpay.faults import Fault


def without_rate(fake):
    fake.set_rate_available(False)
    return lambda: fake.set_rate_available(True)


def without_funds(fake):
    limit, fake.pull_payment.limit = fake.pull_payment.limit, Decimal(10)
    return lambda: fake.fund(limit)


def without_pull_payment(fake):
    fake.archive_pull_payment()
    return lambda: fake.archive_pull_payment(archived=False)


def without_key(fake):
    key, fake.api.api_key = fake.api.api_key, "another"
    return lambda: setattr(fake.api, "api_key", key)


@pytest.mark.parametrize("disturb", [without_rate, without_funds, without_pull_payment, without_key])
def test_what_can_be_mended_is_waited_for(
    disturb, withdraw, send_payouts, fake, payout_of, status_of, balance
):
    mend = disturb(fake)
    made = withdraw()
    send_payouts(4)
    assert (status_of(made), balance()) == ("sending", 75)

    mend()
    send_payouts()

    assert (status_of(made), payout_of(made).state) == ("sent", "AwaitingPayment")


def test_an_address_unknown_to_the_provider_gives_the_coins_back(
    withdraw, send_payouts, fake, status_of, balance, run
):
    made = withdraw(to="nonsense")

    send_payouts(2)

    assert (status_of(made), balance(), fake.payouts) == ("failed", 100, [])
    assert run("payments", "list")["reason"] == "the provider refused: destination"


def test_a_refused_approval_gives_the_coins_back_once_cancelled(
    withdraw, send_payouts, fake, payout_of, status_of, balance
):
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER)
    made = withdraw(1)
    send_payouts()
    fake.state.rate *= 10_000
    fake.faults.next("cancel payout", Fault.NO_ANSWER)

    send_payouts()
    assert (status_of(made), balance(), payout_of(made).state) == ("sending", 99, "AwaitingApproval")
    send_payouts(2)

    assert (status_of(made), balance(), payout_of(made).state) == ("failed", 100, "Cancelled")


@pytest.mark.security("Withdrawals")
def test_nothing_is_given_back_only_because_time_passes(
    withdraw, send_payouts, fake, status_of, balance, clock, reconcile
):
    fake.faults.next(CREATE_PAYOUT, *[Fault.LOST_ANSWER, *[Fault.NO_ANSWER] * 100])
    fake.faults.next("list store payouts", *[Fault.NO_ANSWER] * 200)
    made = withdraw()
    send_payouts()
    clock.advance(minutes=30)
    send_payouts()

    assert (status_of(made), balance()) == ("sending", 75)
    fake.faults.stop()
    clock.advance(days=3)
    send_payouts()
    assert (status_of(made), balance()) == ("sent", 75)
