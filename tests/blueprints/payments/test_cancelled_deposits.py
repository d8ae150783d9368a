"""POST /payments/deposits/:id/cancel: a player gives up a deposit that is not paid."""

import pytest

from tests.harness.btcpay.faults import Fault

CANCELLED = (200, {"success": True})
REFUSED = (400, {"error": "Deposit can't be cancelled"})
NOT_FOUND = (404, {"error": "Payment not found"})


@pytest.fixture
def cancel(ask):
    """Cancels a deposit; status and body of the answer."""
    return lambda made, **options: ask("POST", f"/payments/deposits/{made['id']}/cancel", **options)


def test_a_cancelled_deposit_does_not_count_for_the_limit_any_more(
    ask, deposit, cancel, post_deposit, status_of
):
    ask("PUT", "/limits", {"kind": "deposit", "period": "day", "value": 50})
    made = deposit(50)
    assert post_deposit(1)[0] == 400

    assert cancel(made) == CANCELLED

    assert status_of(made) == "expired"
    deposit(50)


def test_an_unpaid_cancelled_deposit_agrees_with_its_invoice(
    deposit, cancel, fake, invoice_of, poll, reconcile
):
    made = deposit()
    cancel(made)
    assert reconcile() == (1, [])

    fake.expire(invoice_of(made))
    poll()

    assert reconcile() == (1, [])


def test_money_that_comes_nevertheless_is_for_staff(
    deposit, cancel, fake, invoice_of, poll, shown, balance, run
):
    made = deposit()
    cancel(made)
    fake.pay(invoice_of(made))

    poll()

    assert (shown(made)["status"], shown(made)["paidAmount"], balance()) == ("review", 25, 100)
    assert run("payments", "list")["reason"] == "the money came after the deposit had ended"


def test_a_deposit_whose_invoice_is_not_known_is_cancelled_and_gets_none(
    deposit, cancel, fake, poll, status_of
):
    fake.faults.next("create invoice", Fault.NO_ANSWER)
    made = deposit()

    assert cancel(made) == CANCELLED

    poll()
    assert (status_of(made), fake.invoices) == ("expired", [])


def test_a_deposit_that_has_ended_or_has_money_can_t_be_cancelled(
    deposit, credited, in_review, cancel, fake, invoice_of, poll, status_of
):
    partly, confirming = deposit(), deposit()
    fake.pay(invoice_of(partly), 1)
    fake.pay(invoice_of(confirming), status="Processing")
    poll()
    cancelled = deposit()
    cancel(cancelled)
    made = [partly, confirming, credited(), in_review(), cancelled]
    before = [status_of(each) for each in made]

    assert [cancel(each) for each in made] == [REFUSED] * 5

    assert [status_of(each) for each in made] == before
    assert before == ["pending", "confirming", "credited", "review", "expired"]


def test_only_its_player_cancels_a_deposit(deposit, cancel, new_player, status_of, client):
    made = deposit()

    assert cancel(made, by=new_player("bob")) == NOT_FOUND
    assert cancel({"id": "none"}) == NOT_FOUND
    assert client.post(f"/payments/deposits/{made['id']}/cancel").status_code == 401

    assert status_of(made) == "pending"


def test_a_cancelling_is_in_the_audit_trail(deposit, cancel, run, player):
    made = deposit()
    cancel(made)

    last = run("audit", "export")[-1]

    assert (last["what"], last["who"], last["after"]) == (
        "deposit.cancelled",
        player.platform_id,
        {"deposit": made["id"]},
    )
