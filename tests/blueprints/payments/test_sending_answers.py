"""Answers of the provider that are lost or old: a withdrawal is paid at most once and never lost."""

import pytest

from tests.blueprints.payments.conftest import APPROVE_PAYOUT, CREATE_PAYOUT
from tests.harness.btcpay.faults import Fault

DONE = [Fault.LOST_ANSWER, Fault.ERROR_AFTER]
NOT_DONE = [Fault.NO_ANSWER, Fault.ERROR_BEFORE, Fault.UNAVAILABLE]


@pytest.fixture
def asked(fake):
    """How often an operation of the provider was asked for."""
    return fake.api.requests.count


@pytest.mark.guarantee("A failing payment provider")
@pytest.mark.parametrize("operation", [CREATE_PAYOUT, APPROVE_PAYOUT])
@pytest.mark.parametrize("fault", DONE + NOT_DONE)
def test_what_was_done_without_an_answer_is_found_and_anything_else_repeated(
    operation, fault, withdraw, send_payouts, fake, payout_of, status_of, asked
):
    fake.faults.next(operation, fault)
    made = withdraw()

    send_payouts()
    assert status_of(made) == "sending"
    send_payouts()

    assert (status_of(made), payout_of(made).state) == ("sent", "AwaitingPayment")
    assert asked(operation) == (1 if fault in DONE else 2)
    assert asked(CREATE_PAYOUT) + asked(APPROVE_PAYOUT) <= 3


@pytest.mark.parametrize("fault", NOT_DONE)
def test_no_payout_is_made_while_the_look_up_fails(fault, withdraw, send_payouts, fake, payout_of, asked):
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER)
    made = withdraw()
    send_payouts()
    fake.faults.next("list store payouts", fault, fault)

    send_payouts(2)

    assert asked(CREATE_PAYOUT) == 1
    send_payouts()
    assert payout_of(made).state == "AwaitingPayment"


def test_a_list_without_the_payout_leads_to_no_second_one(
    withdraw, send_payouts, fake, payout_of, status_of, reconcile
):
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER)
    fake.faults.next("list store payouts", Fault.STALE)
    made = withdraw()

    send_payouts(3)

    assert (status_of(made), payout_of(made).state) == ("sent", "AwaitingPayment")
    assert reconcile() == (1, [])


def test_a_second_withdrawal_to_an_address_waits_for_the_first(
    withdraw, send_payouts, fake, payout_of, status_of, balance
):
    first, second = withdraw(10), withdraw(20)
    send_payouts(3)
    assert [status_of(each) for each in (first, second)] == ["sent", "sending"]
    assert (balance(), len(fake.payouts)) == (70, 1)

    fake.complete(payout_of(first))
    send_payouts(3)

    assert [status_of(each) for each in (first, second)] == ["completed", "sent"]
    fake.complete(payout_of(second))
    send_payouts(2)
    assert (status_of(second), [each.usd for each in fake.ledger.paid]) == ("completed", [10, 20])


def test_a_payout_that_staff_approve_at_the_provider_is_adopted(
    withdraw, send_payouts, fake, payout_of, status_of, asked
):
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER)
    made = withdraw()
    send_payouts()
    with fake.state.changing():
        fake.state.approve_payout(payout_of(made).id, {"revision": 0})
    fake.complete(payout_of(made))

    send_payouts()

    assert (status_of(made), asked(APPROVE_PAYOUT)) == ("completed", 0)


def test_a_revised_payout_is_approved_as_it_is_now(withdraw, send_payouts, fake, payout_of, status_of):
    fake.faults.next(APPROVE_PAYOUT, Fault.NO_ANSWER)
    made = withdraw()
    send_payouts()
    fake.revise(payout_of(made))
    fake.faults.next("get payout", Fault.STALE)

    send_payouts()
    assert status_of(made) == "sending"
    send_payouts()

    assert (status_of(made), payout_of(made).state) == ("sent", "AwaitingPayment")
