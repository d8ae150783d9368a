"""Withdrawals that can't end by themselves are ended by staff, and never while their payout may be paid."""

from dataclasses import replace

import pytest

from tests.harness.btcpay.faults import Fault

REASON = ("--reason", "as the provider says")


@pytest.fixture
def stuck(withdraw, send_payouts, payout_of, fake):
    """A withdrawal whose payout the provider has lost."""
    made = withdraw()
    send_payouts()
    fake.forget(payout_of(made).id)
    return made


def test_staff_give_back_a_withdrawal_whose_payout_is_lost(stuck, run, status_of, balance, send_payouts):
    run("payments", "fail", stuck["id"], *REASON)

    send_payouts(2)
    assert (status_of(stuck), balance()) == ("failed", 100)
    assert run("ledger", "audit")["mismatches"] == 0


def test_staff_complete_a_withdrawal_that_was_paid_otherwise(stuck, run, status_of, balance, send_payouts):
    run("payments", "complete", stuck["id"], *REASON)

    send_payouts(2)
    assert (status_of(stuck), balance()) == ("completed", 75)
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.parametrize("decision", ["fail", "complete"])
def test_a_payout_that_may_be_paid_refuses_the_decision(
    decision, withdraw, send_payouts, payout_of, fails, status_of
):
    made = withdraw()
    send_payouts()

    said = fails("payments", decision, made["id"], *REASON)

    assert said == f"Error: the provider has the payout {payout_of(made).id}, which is AwaitingPayment"
    assert status_of(made) == "sent"


def test_a_payout_that_was_paid_refuses_giving_back(withdraw, send_payouts, payout_of, fake, fails):
    made = withdraw()
    send_payouts()
    fake.complete(payout_of(made))

    said = fails("payments", "fail", made["id"], *REASON)

    assert said == f"Error: the provider has the payout {payout_of(made).id}, which is Completed"


def test_a_provider_that_does_not_answer_refuses_the_decision(stuck, fake, fails, status_of):
    with fake.away():
        said = fails("payments", "fail", stuck["id"], *REASON)

    assert said == "Error: the provider can't be reached"
    assert status_of(stuck) == "sent"


def test_a_payout_that_comes_after_giving_back_is_cancelled(
    withdraw, send_payouts, fake, run, balance, reconcile, clock
):
    fake.faults.timing = replace(fake.faults.timing, late_work=0.2)
    fake.faults.next("create payout", Fault.LATE_WORK)
    made = withdraw()
    send_payouts()
    run("payments", "fail", made["id"], *REASON)
    fake.wait_until_idle()

    reconcile()
    send_payouts(2)

    assert [payout.state for payout in fake.payouts] == ["Cancelled"]
    assert (reconcile(), balance()) == ((1, []), 100)


@pytest.mark.parametrize("decision", ["fail", "complete"])
def test_only_what_is_being_sent_is_ended(decision, stuck, run, fails):
    run("payments", "fail", stuck["id"], *REASON)

    assert fails("payments", decision, stuck["id"], *REASON) == (
        "Error: the withdrawal is failed, not sending or sent"
    )


@pytest.fixture
def sent(withdraw, send_payouts):
    """A withdrawal whose payout is approved."""
    made = withdraw()
    send_payouts()
    return made


def seen_in_progress(fake, payout, send_payouts):
    fake.start_payment(payout)
    send_payouts()
    payout.proof = None
    fake.mark_cancelled(payout)


def with_a_transfer(fake, payout, send_payouts):
    fake.start_payment(payout)
    fake.mark_cancelled(payout)


def without_a_word_about_transfers(fake, payout, send_payouts):
    def spoil(operation, body):
        payouts = body if operation == "list store payouts" else [body] if operation == "get payout" else []
        for each in payouts:
            each.pop("paymentProof", None)
        return body

    fake.api.spoil = spoil
    fake.cancel(payout)


@pytest.fixture(params=[seen_in_progress, with_a_transfer, without_a_word_about_transfers])
def doubtful(request, sent, payout_of, fake, send_payouts):
    """A withdrawal whose payout is cancelled, and may have been paid all the same."""
    request.param(fake, payout_of(sent), send_payouts)
    send_payouts()
    return sent


def test_a_payout_that_may_be_paid_although_it_is_cancelled_keeps_the_coins(
    doubtful, status_of, balance, reconcile, clock, send_payouts, run
):
    for _ in range(3):
        clock.advance(minutes=10)
        send_payouts()
        assert reconcile() == (1, [("withdrawal", doubtful["id"])])

    assert (status_of(doubtful), balance()) == ("sent", 75)
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.parametrize(
    ("decision", "status", "coins"), [("complete", "completed", 75), ("fail", "failed", 100)]
)
def test_staff_end_a_withdrawal_whose_payout_was_cancelled_late(
    decision, status, coins, doubtful, run, status_of, balance, reconcile
):
    run("payments", decision, doubtful["id"], *REASON)

    assert (status_of(doubtful), balance()) == (status, coins)
    assert reconcile() == (1, [])


def test_a_payout_that_is_completed_after_all_ends_its_withdrawal(
    doubtful, fake, payout_of, status_of, send_payouts, clock, balance, reconcile
):
    with fake.state.changing():
        fake.state.move_payout(payout_of(doubtful), "InProgress")
    fake.complete(payout_of(doubtful))

    clock.advance(minutes=10)
    send_payouts()

    assert (status_of(doubtful), balance(), reconcile()) == ("completed", 75, (1, []))
