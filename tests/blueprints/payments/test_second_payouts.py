"""Payouts of a withdrawal that are not its own: cancelled, and a discrepancy until that is known."""

from decimal import Decimal

import pytest

from tests.blueprints.payments.conftest import ADDRESS, APPROVE_PAYOUT, CREATE_PAYOUT
from tests.harness.btcpay.faults import Fault


@pytest.fixture
def create_late(fake):
    """Lets a request for a payout arrive that nobody waits for any more; the payout."""

    def create(made):
        body = {
            "destination": made["to"],
            "amount": str(made["amount"]),
            "payoutMethodId": made["method"],
            "pullPaymentId": fake.pull_payment.id,
            "metadata": {"withdrawalId": made["id"]},
        }
        with fake.state.changing():
            return fake.state.create_payout(body)

    return create


def test_a_late_payout_is_a_discrepancy_until_it_is_cancelled(
    withdraw, send_payouts, fake, create_late, reconcile, payout_of, status_of
):
    made = withdraw()
    send_payouts()
    fake.complete(payout_of(made))
    send_payouts()
    late = create_late(made)

    assert reconcile() == (2, [("second-payout", late.id)])
    fake.faults.next("cancel payout", Fault.NO_ANSWER)
    send_payouts()
    assert reconcile() == (2, [("second-payout", late.id)])
    send_payouts()

    assert (late.state, status_of(made)) == ("Cancelled", "completed")
    assert reconcile() == (2, [])


def test_a_late_payout_of_an_ended_withdrawal_does_not_hold_its_address(
    withdraw, send_payouts, fake, create_late, run, status_of
):
    fake.faults.next(CREATE_PAYOUT, Fault.NO_ANSWER)
    ended = withdraw(10)
    send_payouts()
    run("payments", "fail", ended["id"], "--reason", "it does not answer")
    late = create_late(ended)
    made = withdraw(20)

    send_payouts(5)

    assert (late.state, status_of(made)) == ("Cancelled", "sent")


def test_a_late_payout_that_is_cancelled_after_its_transfer_had_begun_stays_a_discrepancy(
    withdraw, send_payouts, fake, create_late, reconcile, payout_of, run
):
    made = withdraw()
    send_payouts()
    fake.cancel(payout_of(made))
    send_payouts()
    late = create_late(made)
    with fake.state.changing():
        fake.state.approve_payout(late.id, {"revision": 0})
    fake.start_payment(late)
    fake.mark_cancelled(late)

    for _ in range(2):
        assert reconcile() == (2, [("second-payout", late.id)])
        send_payouts()

    run("payments", "dismiss", "second-payout", late.id, "--reason", "it never arrived")
    assert reconcile() == (2, [])


def test_of_two_payouts_of_one_withdrawal_one_is_approved(
    withdraw, send_payouts, fake, create_late, payout_of, status_of, reconcile
):
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER)
    made = withdraw()
    send_payouts()
    first = payout_of(made)
    # Another address does not count as a duplicate.
    first.destination = "bc1qmeanwhile"
    second = create_late(made)
    first.destination = ADDRESS
    with fake.state.changing():
        fake.state.touch(first)

    send_payouts(3)

    assert {first.state, second.state} == {"AwaitingPayment", "Cancelled"}
    assert status_of(made) == "sent"
    assert reconcile() == (2, [])


def test_a_late_payout_is_cancelled_before_the_other_one_is_approved(
    withdraw, send_payouts, fake, services, create_late, payout_of, monkeypatch
):
    provider = services.payment_providers.by_name["btcpay"]
    create, late = provider.create_payout, []

    def create_two(withdrawal, **options):
        payout = create(withdrawal, **options)
        # Another address does not count as a duplicate.
        late.append(create_late(made | {"to": fake.address("elsewhere")}))
        return payout

    fake.faults.next(CREATE_PAYOUT, Fault.NO_ANSWER)
    made = withdraw()
    send_payouts()
    monkeypatch.setattr(provider, "create_payout", create_two)
    fake.faults.next(APPROVE_PAYOUT, Fault.NO_ANSWER)

    send_payouts()

    assert [each.state for each in late] == ["Cancelled"]
    assert [each.state for each in fake.payouts_of(made["id"])] == ["AwaitingApproval", "Cancelled"]


def test_a_payout_that_differs_from_the_request_is_not_approved(
    withdraw, send_payouts, fake, payout_of, status_of, reconcile
):
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER)
    made = withdraw()
    send_payouts()
    payout = payout_of(made)
    payout.amount = Decimal(2500)
    with fake.state.changing():
        fake.state.touch(payout)

    send_payouts(3)

    assert (status_of(made), payout.state) == ("sending", "AwaitingApproval")
    assert reconcile() == (1, [("withdrawal", made["id"])])
